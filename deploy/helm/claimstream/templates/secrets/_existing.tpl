{{/* The existing secrets that the values name, as an object whose field "secrets" has a list: value, namespace, name and keys. A key has the value that
names it, if there is one. The secrets of users that this release creates with Strimzi are not among them: Strimzi creates them later. */}}
{{- define "claimstream.existingSecrets" -}}
{{- $services := include "claimstream.namespace" . -}}
{{- $agents := include "claimstream.agentsNamespace" . -}}
{{- $secrets := list -}}
{{- range .Values.imagePullSecrets -}}
{{- $secrets = append $secrets (dict "value" "imagePullSecrets" "namespace" $services "name" .name "keys" list) -}}
{{- if $.Values.agents.enabled -}}
{{- $secrets = append $secrets (dict "value" "imagePullSecrets" "namespace" $agents "name" .name "keys" list) -}}
{{- end -}}
{{- end -}}
{{- range $component := splitList " " (include "claimstream.connected" .) -}}
{{- $namespace := ternary $agents $services (eq $component "agents") -}}
{{- $connections := fromYaml (include "claimstream.connections" (dict "root" $ "component" $component)) -}}
{{- range (fromYaml (include "claimstream.connectionSecrets" (dict "root" $ "component" $component "connections" $connections))).secrets -}}
{{- $secrets = append $secrets (set . "namespace" $namespace) -}}
{{- end -}}
{{- end -}}
{{- $credentials := list (dict "key" "credentials" "value" "") -}}
{{- with .Values.archive -}}
{{- if and .enabled .existingSecret -}}
{{- $secrets = append $secrets (dict "value" "archive.existingSecret" "namespace" $services "name" .existingSecret "keys" $credentials) -}}
{{- end -}}
{{- end -}}
{{- with .Values.checkpoints -}}
{{- if .enabled -}}
{{- $keys := list (dict "key" .keySecret.key "value" "checkpoints.keySecret.key") -}}
{{- $secrets = append $secrets (dict "value" "checkpoints.keySecret.name" "namespace" $services "name" .keySecret.name "keys" $keys) -}}
{{- if .existingSecret -}}
{{- $secrets = append $secrets (dict "value" "checkpoints.existingSecret" "namespace" $services "name" .existingSecret "keys" $credentials) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml (dict "secrets" (uniq $secrets)) -}}
{{- end -}}

{{/* The names of the users that this release creates with Strimzi, which are those of their secrets, as an object with the field "names". */}}
{{- define "claimstream.strimziUsers" -}}
{{- $names := list -}}
{{- with .Values.strimzi -}}
{{- if .user.enabled }}{{ $names = append $names .user.name }}{{ end -}}
{{- if .users.enabled -}}
{{- $prefix := .users.prefix -}}
{{- range $principal, $_ := omit (fromYaml ($.Files.Get "files/principals.yaml")) "producer" }}{{ $names = append $names (printf "%s%s" $prefix $principal) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- toYaml (dict "names" $names) -}}
{{- end -}}

{{/* The secrets of the connections of one component, without their namespace. Arguments: root, component, connections. */}}
{{- define "claimstream.connectionSecrets" -}}
{{- $secrets := list -}}
{{- $ofRelease := (fromYaml (include "claimstream.strimziUsers" .root)).names -}}
{{- $own := "" -}}
{{- if hasKey .root.Values.kafka.credentials .component -}}
{{- $own = printf "kafka.credentials.%s.secret" .component -}}
{{- end -}}
{{- with .connections.Values.kafka -}}
{{- with .tls.caSecret -}}
{{- if .name -}}
{{- $secrets = append $secrets (dict "value" "kafka.tls.caSecret.name" "name" .name "keys" (list (dict "key" .key "value" "kafka.tls.caSecret.key"))) -}}
{{- end -}}
{{- end -}}
{{- $isSasl := hasPrefix "SASL_" .securityProtocol -}}
{{- with .tls.clientSecret -}}
{{- if and .name (not (has .name $ofRelease)) -}}
{{- $keys := list (dict "key" .certificateKey "value" "kafka.tls.clientSecret.certificateKey") (dict "key" .privateKeyKey "value" "kafka.tls.clientSecret.privateKeyKey") -}}
{{- $value := ternary "kafka.tls.clientSecret.name" $own (or $isSasl (not $own)) -}}
{{- $secrets = append $secrets (dict "value" $value "name" .name "keys" $keys) -}}
{{- end -}}
{{- end -}}
{{- if has (ternary .sasl.oauth.existingSecret .sasl.existingSecret (eq .sasl.mechanism "OAUTHBEARER")) $ofRelease -}}
{{- else if and $isSasl (eq .sasl.mechanism "OAUTHBEARER") -}}
{{- $keys := list (dict "key" .sasl.oauth.clientSecretKey "value" "kafka.sasl.oauth.clientSecretKey") -}}
{{- $secrets = append $secrets (dict "value" (default "kafka.sasl.oauth.existingSecret" $own) "name" .sasl.oauth.existingSecret "keys" $keys) -}}
{{- else if $isSasl -}}
{{- $keys := list (dict "key" .sasl.passwordKey "value" "kafka.sasl.passwordKey") -}}
{{- $secrets = append $secrets (dict "value" (default "kafka.sasl.existingSecret" $own) "name" .sasl.existingSecret "keys" $keys) -}}
{{- end -}}
{{- end -}}
{{- with .connections.Values.registry -}}
{{- $registrySecret := ternary "registry.bearerToken.existingSecret" "registry.basicAuth.existingSecret" (ne .bearerToken.existingSecret "") -}}
{{- if and .registrar.secret (has .registrar.secret (list .bearerToken.existingSecret .basicAuth.existingSecret)) -}}
{{- $registrySecret = "registry.registrar.secret" -}}
{{- end -}}
{{- if .basicAuth.existingSecret -}}
{{- $keys := list (dict "key" .basicAuth.passwordKey "value" "registry.basicAuth.passwordKey") -}}
{{- $secrets = append $secrets (dict "value" $registrySecret "name" .basicAuth.existingSecret "keys" $keys) -}}
{{- end -}}
{{- if .bearerToken.existingSecret -}}
{{- $keys := list (dict "key" .bearerToken.tokenKey "value" "registry.bearerToken.tokenKey") -}}
{{- $secrets = append $secrets (dict "value" $registrySecret "name" .bearerToken.existingSecret "keys" $keys) -}}
{{- end -}}
{{- if .caSecret.name -}}
{{- $secrets = append $secrets (dict "value" "registry.caSecret.name" "name" .caSecret.name "keys" (list (dict "key" .caSecret.key "value" "registry.caSecret.key"))) -}}
{{- end -}}
{{- end -}}
{{- toYaml (dict "secrets" $secrets) -}}
{{- end -}}
