{{/* Labels and annotations of the pods of Jobs. Arguments: root, component. */}}
{{- define "claimstream.jobMetadata" -}}
labels:
  {{- include "claimstream.podLabels" . | nindent 2 }}
{{- with .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Scheduling of the pods of Jobs. */}}
{{- define "claimstream.jobPod" -}}
securityContext:
  {{- include "claimstream.podSecurity" . | nindent 2 }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The common settings as environment variables, for containers without a ConfigMap. Argument: the connections of the component. */}}
{{- define "claimstream.kafkaEnvironment" -}}
{{- $common := fromYaml (include "claimstream.commonSettings" .) -}}
{{- include "claimstream.variables" (dict "prefix" "CLAIMSTREAM_KAFKA" "value" $common.kafka) -}}
{{- end -}}

{{- define "claimstream.variables" -}}
{{- $prefix := .prefix -}}
{{- if kindIs "map" .value -}}
{{- range $name, $value := .value -}}
{{- include "claimstream.variables" (dict "prefix" (printf "%s_%s" $prefix ($name | replace "-" "_" | upper)) "value" $value) -}}
{{- end -}}
{{- else }}
- {name: {{ $prefix }}, value: {{ toString .value | quote }}}
{{- end -}}
{{- end -}}

{{- define "claimstream.registryEnvironment" -}}
{{- $common := fromYaml (include "claimstream.commonSettings" .) -}}
{{- include "claimstream.variables" (dict "prefix" "CLAIMSTREAM_REGISTRY" "value" $common.registry) -}}
{{- end -}}
