{{/* The Pod Security level "restricted", complete. */}}
{{- define "claimstream.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "claimstream.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
capabilities: {drop: [ALL]}
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{/* Mounts of the secrets that the settings name. Argument: the connections of the component. */}}
{{- define "claimstream.secretMounts" -}}
{{- $secrets := include "claimstream.secrets" . -}}
{{- with .Values.kafka }}
{{- if .tls.caSecret.name }}
- {name: kafka-ca, mountPath: {{ $secrets }}/kafka-ca, readOnly: true}
{{- end }}
{{- if .tls.clientSecret.name }}
- {name: kafka-client, mountPath: {{ $secrets }}/kafka-client, readOnly: true}
{{- end }}
{{- if hasPrefix "SASL_" .securityProtocol }}
- {name: kafka-sasl, mountPath: {{ $secrets }}/kafka-sasl, readOnly: true}
{{- end }}
{{- end }}
{{- with .Values.registry }}
{{- if or .basicAuth.existingSecret .bearerToken.existingSecret }}
- {name: registry-auth, mountPath: {{ $secrets }}/registry-auth, readOnly: true}
{{- end }}
{{- if .caSecret.name }}
- {name: registry-ca, mountPath: {{ $secrets }}/registry-ca, readOnly: true}
{{- end }}
{{- end }}
{{- end -}}

{{/* A volume with chosen keys of a secret under fixed names. Arguments: name, secret, items (file to key). */}}
{{- define "claimstream.secretVolume" -}}
- name: {{ .name }}
  secret:
    secretName: {{ .secret }}
    defaultMode: 0440
    items:
      {{- range $file, $key := .items }}
      - {key: {{ $key }}, path: {{ $file }}}
      {{- end }}
{{- end -}}

{{- define "claimstream.secretVolumes" -}}
{{- with .Values.kafka }}
{{- if .tls.caSecret.name }}
{{ include "claimstream.secretVolume" (dict "name" "kafka-ca" "secret" .tls.caSecret.name "items" (dict "ca.crt" .tls.caSecret.key)) }}
{{- end }}
{{- with .tls.clientSecret }}
{{- if .name }}
{{ include "claimstream.secretVolume" (dict "name" "kafka-client" "secret" .name "items" (dict "tls.crt" .certificateKey "tls.key" .privateKeyKey)) }}
{{- end }}
{{- end }}
{{- if hasPrefix "SASL_" .securityProtocol }}
{{- if eq .sasl.mechanism "OAUTHBEARER" }}
{{ include "claimstream.secretVolume" (dict "name" "kafka-sasl" "secret" .sasl.oauth.existingSecret "items" (dict "client-secret" .sasl.oauth.clientSecretKey)) }}
{{- else }}
{{ include "claimstream.secretVolume" (dict "name" "kafka-sasl" "secret" .sasl.existingSecret "items" (dict "password" .sasl.passwordKey)) }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.registry }}
{{- if .basicAuth.existingSecret }}
{{ include "claimstream.secretVolume" (dict "name" "registry-auth" "secret" .basicAuth.existingSecret "items" (dict "password" .basicAuth.passwordKey)) }}
{{- else if .bearerToken.existingSecret }}
{{ include "claimstream.secretVolume" (dict "name" "registry-auth" "secret" .bearerToken.existingSecret "items" (dict "token" .bearerToken.tokenKey)) }}
{{- end }}
{{- if .caSecret.name }}
{{ include "claimstream.secretVolume" (dict "name" "registry-ca" "secret" .caSecret.name "items" (dict "ca.crt" .caSecret.key)) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Environment of every container. Arguments: root, component. */}}
{{- define "claimstream.environment" -}}
- {name: POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
- {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
- {name: CLAIMSTREAM_OBSERVABILITY_HOST, value: $(POD_IP)}
- {name: CLAIMSTREAM_LOG, value: {{ .root.Values.log.format }}}
- {name: CLAIMSTREAM_LOG_LEVEL, value: {{ .root.Values.log.level }}}
{{- with (index .root.Values .component).javaOptions }}
- {name: JAVA_TOOL_OPTIONS, value: {{ . | quote }}}
{{- end }}
{{- end -}}

{{/* The template of a service's pods. Arguments: root, component; service, if its name differs; environment, mounts, volumes (lists); account; token: whether it is mounted; tmp: limit of /tmp. */}}
{{- define "claimstream.podTemplate" -}}
{{- $root := .root -}}
{{- $values := index $root.Values .component -}}
{{- $connections := fromYaml (include "claimstream.connections" .) -}}
metadata:
  labels:
    {{- include "claimstream.podLabels" . | nindent 4 }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    # A change of the settings restarts the pods. A changed secret restarts none: services read the files again, or say that they need a restart.
    claimstream.dev/settings-checksum: {{ include "claimstream.settings" . | sha256sum }}
    {{- with merge (dict) $values.podAnnotations $root.Values.commonAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ .account }}
  automountServiceAccountToken: {{ default false .token }}
  # Kubernetes would set CLAIMSTREAM_CONSOLE_PORT and others for the Services of this namespace, and these are names of settings.
  enableServiceLinks: false
  terminationGracePeriodSeconds: 30
  {{- with $root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with default $root.Values.priorityClassName $values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with default $root.Values.nodeSelector $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with default $root.Values.tolerations $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with default $root.Values.affinity $values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $root.Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- range . }}
    - {{ toYaml . | nindent 6 | trim }}
      {{- if not .labelSelector }}
      labelSelector:
        matchLabels:
          {{- include "claimstream.selector" $ | nindent 10 }}
      {{- end }}
    {{- end }}
  {{- end }}
  securityContext:
    {{- include "claimstream.podSecurity" $root | nindent 4 }}
  containers:
    - name: {{ .component }}
      image: {{ include "claimstream.image" $root }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args: [service, {{ default .component .service }}]
      env:
        {{- include "claimstream.environment" . | nindent 8 }}
        {{- with .environment }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        {{- with $values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - {name: health, containerPort: {{ $root.Values.observability.port }}, protocol: TCP}
        {{- with .ports }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- include "claimstream.probes" . | nindent 6 }}
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      securityContext:
        {{- include "claimstream.containerSecurity" $root | nindent 8 }}
      volumeMounts:
        - {name: settings, mountPath: /etc/claimstream, readOnly: true}
        - {name: tmp, mountPath: /tmp}
        {{- with include "claimstream.secretMounts" $connections }}
        {{- . | trim | nindent 8 }}
        {{- end }}
        {{- with .mounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - {name: settings, configMap: {name: {{ include "claimstream.fullname" $root }}-{{ .component }}}}
    # JNI libraries unpack here: the volume must allow execution.
    - {name: tmp, emptyDir: {sizeLimit: {{ default "256Mi" .tmp }}}}
    {{- with include "claimstream.secretVolumes" $connections }}
    {{- . | trim | nindent 4 }}
    {{- end }}
    {{- with .volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* A start may restore cells for minutes: the startup probe allows ten. Liveness fails only if a part has ended for good. */}}
{{- define "claimstream.probes" -}}
startupProbe:
  httpGet: {path: /health/live, port: health}
  periodSeconds: 5
  failureThreshold: 120
livenessProbe:
  httpGet: {path: /health/live, port: health}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /health/ready, port: health}
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 3
{{- end -}}

{{/* The ConfigMap of a component. Arguments: root, component. */}}
{{- define "claimstream.settingsMap" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "claimstream.metadata" (merge (dict "name" (printf "%s-%s" (include "claimstream.fullname" .root) .component)) .) | nindent 2 }}
data:
  application.yml: |
    {{- include "claimstream.settings" . | nindent 4 }}
{{- end -}}

{{/* A Deployment, its Service, budget and settings. Arguments as of the pod template. */}}
{{- define "claimstream.deployment" -}}
{{- $values := index .root.Values .component -}}
{{- $name := printf "%s-%s" (include "claimstream.fullname" .root) .component -}}
{{ include "claimstream.settingsMap" . }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "claimstream.metadata" (merge (dict "name" $name) .) | nindent 2 }}
spec:
  replicas: {{ $values.replicas }}
  revisionHistoryLimit: 3
  strategy:
    rollingUpdate: {maxSurge: 1, maxUnavailable: 0}
  selector:
    matchLabels:
      {{- include "claimstream.selector" . | nindent 6 }}
  template:
    {{- include "claimstream.podTemplate" . | nindent 4 }}
---
{{ include "claimstream.service" . }}
{{ include "claimstream.budget" . }}
{{- end -}}

{{- define "claimstream.service" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "claimstream.metadata" (merge (dict "name" (printf "%s-%s" (include "claimstream.fullname" .root) .component)) .) | nindent 2 }}
spec:
  {{- if .headless }}
  clusterIP: None
  publishNotReadyAddresses: true
  {{- end }}
  selector:
    {{- include "claimstream.selector" . | nindent 4 }}
  ports:
    - {name: health, port: {{ .root.Values.observability.port }}, targetPort: health, protocol: TCP}
    {{- range .ports }}
    - {name: {{ .name }}, port: {{ .containerPort }}, targetPort: {{ .name }}, protocol: TCP}
    {{- end }}
{{- end -}}

{{- define "claimstream.budget" -}}
{{- $values := index .root.Values .component -}}
{{- if and $values.podDisruptionBudget.enabled (gt (int $values.replicas) 1) }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "claimstream.metadata" (merge (dict "name" (printf "%s-%s" (include "claimstream.fullname" .root) .component)) .) | nindent 2 }}
spec:
  maxUnavailable: {{ $values.podDisruptionBudget.maxUnavailable }}
  # A pod that is not ready does not protect the others: a node with a broken pod can be drained.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "claimstream.selector" . | nindent 6 }}
{{- end }}
{{- end -}}
