{{/* Folders of the mounted secrets. */}}
{{- define "claimstream.secrets" -}}/var/run/secrets/claimstream{{- end -}}

{{/* The values of the connections of one component, as an object with the field Values. Arguments: root, component. */}}
{{- define "claimstream.connections" -}}
{{- $kafka := deepCopy .root.Values.kafka -}}
{{- with index $kafka.credentials .component -}}
{{- if not (hasPrefix "SASL_" $kafka.securityProtocol) -}}
{{- $_ := set $kafka.tls.clientSecret "name" .secret -}}
{{- else if eq $kafka.sasl.mechanism "OAUTHBEARER" -}}
{{- $_ := set $kafka.sasl.oauth "clientId" .username -}}
{{- $_ := set $kafka.sasl.oauth "existingSecret" .secret -}}
{{- else -}}
{{- $_ := set $kafka.sasl "username" .username -}}
{{- $_ := set $kafka.sasl "existingSecret" .secret -}}
{{- end -}}
{{- end -}}
{{- $registry := deepCopy .root.Values.registry -}}
{{- if and (eq $registry.registration "job") (ne .root.Values.topics.mode "none") -}}
{{- $_ := set $registry "registration" "none" -}}
{{- end -}}
{{- if and (eq .component "topics") $registry.registrar.secret -}}
{{- if $registry.bearerToken.existingSecret -}}
{{- $_ := set $registry.bearerToken "existingSecret" $registry.registrar.secret -}}
{{- else -}}
{{- $_ := set $registry.basicAuth "username" $registry.registrar.username -}}
{{- $_ := set $registry.basicAuth "existingSecret" $registry.registrar.secret -}}
{{- end -}}
{{- end -}}
{{- toYaml (dict "Values" (dict "kafka" $kafka "registry" $registry "observability" .root.Values.observability "tracing" .root.Values.tracing)) -}}
{{- end -}}

{{/* The settings of every service: connections, cluster, meters. Argument: the connections of the component. */}}
{{- define "claimstream.commonSettings" -}}
{{- $secrets := include "claimstream.secrets" . -}}
kafka:
  bootstrap: {{ .Values.kafka.bootstrapServers | quote }}
  {{- with .Values.kafka }}
  security:
    protocol: {{ .securityProtocol }}
  {{- if or .tls.caSecret.name .tls.clientSecret.name }}
  tls:
    {{- if .tls.caSecret.name }}
    ca-file: {{ $secrets }}/kafka-ca/ca.crt
    {{- end }}
    {{- if .tls.clientSecret.name }}
    certificate-file: {{ $secrets }}/kafka-client/tls.crt
    key-file: {{ $secrets }}/kafka-client/tls.key
    {{- end }}
  {{- end }}
  {{- if hasPrefix "SASL_" .securityProtocol }}
  sasl:
    mechanism: {{ .sasl.mechanism }}
    {{- if eq .sasl.mechanism "OAUTHBEARER" }}
    oauth:
      token-endpoint: {{ .sasl.oauth.tokenEndpoint | quote }}
      client-id: {{ .sasl.oauth.clientId | quote }}
      client-secret-file: {{ $secrets }}/kafka-sasl/client-secret
      {{- with .sasl.oauth.scope }}
      scope: {{ . | quote }}
      {{- end }}
    {{- else }}
    username: {{ .sasl.username | quote }}
    password-file: {{ $secrets }}/kafka-sasl/password
    {{- end }}
  {{- end }}
  {{- end }}
registry:
  url: {{ .Values.registry.url | quote }}
  {{- with .Values.registry }}
  {{- if .basicAuth.existingSecret }}
  username: {{ .basicAuth.username | quote }}
  password-file: {{ $secrets }}/registry-auth/password
  {{- end }}
  {{- if .bearerToken.existingSecret }}
  token-file: {{ $secrets }}/registry-auth/token
  {{- end }}
  {{- if .caSecret.name }}
  ca-file: {{ $secrets }}/registry-ca/ca.crt
  {{- end }}
  {{- if eq .registration "none" }}
  register: false
  {{- end }}
  {{- end }}
observability:
  port: {{ .Values.observability.port }}
{{- with .Values.tracing.endpoint }}
tracing:
  endpoint: {{ . | quote }}
{{- end }}
{{- end -}}

{{- define "claimstream.allocatorSettings" -}}
{{- if .Values.observeOnly }}
observe-only: true
{{- end }}
allocator:
  # A folder inside the volume: Kafka Streams sets the permissions of its folder, and the volume belongs to root.
  state-folder: /var/lib/claimstream/state
  kubernetes: {{ include "claimstream.release" . | quote }}
  {{- with .Values.kubernetes.featureGates }}
  features: {{ include "claimstream.featureGates" . | quote }}
  {{- end }}
  policy: {{ .Values.allocator.policy }}
  pin: {{ .Values.pin }}
  cool-down: {{ .Values.allocator.coolDown }}
  {{- with .Values.managed.nodes }}
  nodes: {{ . | quote }}
  {{- end }}
  threads: {{ .Values.allocator.threads }}
  {{- if .Values.log.decisions }}
  log-decisions: true
  {{- end }}
  # Nothing is allocated before these lists are complete.
  sources:
    resource-slice: watcher
    device-class: watcher
    device-taint-rule: watcher
    node: watcher
    namespace: watcher
    resource-claim: watcher
    resource-claim-template: watcher
    pod: watcher
    pod-group: watcher
{{- if include "claimstream.liveness" . }}
liveness:
  enabled: true
  timeout: {{ .Values.liveness.timeout }}
{{- end }}
{{- end -}}

{{- define "claimstream.watcherSettings" -}}
{{- if .Values.observeOnly }}
observe-only: true
{{- end }}
kubernetes:
  in-cluster: true
  all-claims: {{ .Values.kubernetes.allClaims }}
{{- with .Values.watcher.recordedParameters }}
watcher:
  recorded-parameters: {{ join "," . | quote }}
{{- end }}
{{- end -}}

{{- define "claimstream.writerSettings" -}}
kubernetes:
  in-cluster: true
  all-claims: {{ .Values.kubernetes.allClaims }}
writer:
  pin: {{ .Values.pin }}
  {{- with .Values.gateTimeout }}
  gate-timeout: {{ . }}
  {{- end }}
  parallel: {{ .Values.writer.parallel }}
{{- end -}}

{{/* Access to a service that answers users. */}}
{{- define "claimstream.accessSettings" -}}
{{- if eq .Values.access.mode "kubernetes" }}
access:
  mode: kubernetes
  keep-for: {{ .Values.access.keepFor }}
kubernetes:
  in-cluster: true
{{- end }}
{{- end -}}

{{/* Host names of a Service. Arguments: root, component. */}}
{{- define "claimstream.serviceHosts" -}}
{{- $service := printf "%s-%s" (include "claimstream.fullname" .root) .component }}
{{- $namespace := include "claimstream.namespace" .root }}
{{- printf "%s,%s.%s,%s.%s.svc" $service $service $namespace $service $namespace -}}
{{- end -}}

{{- define "claimstream.consoleSettings" -}}
{{- include "claimstream.accessSettings" . }}
console:
  port: {{ .Values.console.port }}
  {{- if eq .Values.console.listen "pod" }}
  allowed-hosts: {{ join "," (prepend .Values.access.hosts (include "claimstream.serviceHosts" (dict "root" . "component" "console"))) | quote }}
  {{- end }}
  {{- /* In loopback mode no other pod reaches history and simulator. */}}
  {{- if eq .Values.access.mode "kubernetes" }}
  {{- if .Values.history.enabled }}
  history-url: http://{{ include "claimstream.fullname" . }}-history:{{ .Values.history.port }}
  {{- end }}
  {{- if .Values.simulator.enabled }}
  simulator-url: http://{{ include "claimstream.fullname" . }}-simulator:{{ .Values.simulator.port }}
  {{- end }}
  {{- end }}
{{- end -}}

{{- define "claimstream.simulatorSettings" -}}
{{- include "claimstream.accessSettings" . }}
simulator:
  port: {{ .Values.simulator.port }}
  {{- if eq .Values.access.mode "kubernetes" }}
  allowed-hosts: {{ include "claimstream.serviceHosts" (dict "root" . "component" "simulator") | quote }}
  {{- end }}
{{- end -}}

{{- define "claimstream.shadowSettings" -}}
shadow:
  every: {{ .Values.shadow.every }}
  {{- with .Values.shadow.policy }}
  policy: {{ . }}
  {{- end }}
{{- end -}}

{{/* The allocator's process without intake and cells. */}}
{{- define "claimstream.archiveSettings" -}}
allocator:
  enabled: false
archive:
  enabled: true
  folder: {{ default "/var/lib/claimstream/archive" .Values.archive.location | quote }}
  every: {{ .Values.archive.every }}
  keep: {{ .Values.archive.keep }}
{{- end -}}

{{- define "claimstream.historySettings" -}}
{{- include "claimstream.accessSettings" . }}
history:
  # A folder inside the volume, which belongs to root.
  folder: /var/lib/claimstream/history
  port: {{ .Values.history.port }}
  {{- if eq .Values.access.mode "kubernetes" }}
  allowed-hosts: {{ include "claimstream.serviceHosts" (dict "root" . "component" "history") | quote }}
  {{- end }}
  memory: {{ .Values.history.memory }}
  {{- with .Values.history.costWeights }}
  {{- $weights := list }}
  {{- range $class, $weight := . }}{{ $weights = append $weights (printf "%s=%v" $class $weight) }}{{ end }}
  cost-weights: {{ join "," $weights | quote }}
  {{- end }}
{{- end -}}

{{- define "claimstream.agentsSettings" -}}
agent:
  slices: {{ .Values.agents.slices }}
  taint-effect: {{ .Values.agents.taintEffect }}
  {{- with .Values.agents.exclude }}
  exclude: {{ join "," . | quote }}
  {{- end }}
  {{- with .Values.agents.exporters }}
  exporters: {{ join "," . | quote }}
  {{- end }}
{{- end -}}

{{/* application.yml of a component: common, own, and those of the values, which have priority. Arguments: root, component. */}}
{{- define "claimstream.settings" -}}
{{- $settings := fromYaml (include "claimstream.commonSettings" (fromYaml (include "claimstream.connections" .))) -}}
{{- if ne .component "topics" -}}
{{- $settings = mergeOverwrite $settings (fromYaml (include (printf "claimstream.%sSettings" .component) .root)) -}}
{{- $settings = mergeOverwrite $settings (deepCopy .root.Values.settings) (deepCopy (index .root.Values .component).settings) -}}
{{- end -}}
{{- toYaml (dict "claimstream" $settings) -}}
{{- end -}}

{{- define "claimstream.featureGates" -}}
{{- $gates := list -}}
{{- range $name, $value := . }}{{- $gates = append $gates (printf "%s=%t" $name $value) }}{{- end -}}
{{- join "," $gates -}}
{{- end -}}

{{/* Whether LivenessMonitor runs in the allocator's pods; empty for no. */}}
{{- define "claimstream.liveness" -}}
{{- if or (eq .Values.liveness.mode "on") (and (eq .Values.liveness.mode "auto") .Values.agents.enabled) }}yes{{ end -}}
{{- end -}}

{{/* Whether the list of APIs is that of a cluster, and not the built-in one of "helm template"; empty for no. */}}
{{- define "claimstream.isDiscovered" -}}
{{- if .Capabilities.APIVersions.Has "v1/Pod" }}yes{{ end -}}
{{- end -}}

{{/* The release whose defaults of feature gates apply. */}}
{{- define "claimstream.release" -}}
{{- if .Values.kubernetes.release -}}
{{- .Values.kubernetes.release -}}
{{- else if and (include "claimstream.isDiscovered" .) (semverCompare "<1.37.0-0" .Capabilities.KubeVersion.Version) -}}
1.36
{{- else -}}
1.37
{{- end -}}
{{- end -}}
