{{- define "claimstream.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Prefix of namespaced names. 40 characters leave room for the longest suffix and the hash of a ReplicaSet. */}}
{{- define "claimstream.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "claimstream.name" . -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "claimstream.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride -}}
{{- end -}}

{{/* Labels that never change, because selectors are immutable. Arguments: root, component. */}}
{{- define "claimstream.selector" -}}
app.kubernetes.io/name: {{ include "claimstream.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Labels of pods: without the version of the chart, so that an upgrade of the chart alone restarts nothing. */}}
{{- define "claimstream.podLabels" -}}
{{ include "claimstream.selector" . }}
app.kubernetes.io/part-of: claimstream
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "claimstream.labels" -}}
{{ include "claimstream.selector" . }}
app.kubernetes.io/part-of: claimstream
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Metadata of an object. Arguments: root, component, name; cluster: true for an object without a namespace; annotations. */}}
{{- define "claimstream.metadata" -}}
name: {{ .name }}
{{- if not .cluster }}
namespace: {{ default (include "claimstream.namespace" .root) .namespace }}
{{- end }}
labels:
  {{- include "claimstream.labels" . | nindent 2 }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- $annotations := merge (dict) (default (dict) .annotations) .root.Values.commonAnnotations }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "claimstream.image" -}}
{{- with .Values.image -}}
{{- with .registry }}{{ . }}/{{ end }}{{ .repository }}
{{- if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* The user of the writer, as the API server names it. */}}
{{- define "claimstream.writerUser" -}}
system:serviceaccount:{{ include "claimstream.namespace" . }}:{{ .Values.serviceAccounts.writer.name }}
{{- end -}}

{{/* The account of the services that ask the API server about access. */}}
{{- define "claimstream.accessAccount" -}}
{{ include "claimstream.fullname" . }}-access
{{- end -}}

{{/* The account of a service that answers users. */}}
{{- define "claimstream.answeringAccount" -}}
{{- if eq .Values.access.mode "kubernetes" }}{{ include "claimstream.accessAccount" . }}{{ else }}{{ include "claimstream.fullname" . }}{{ end -}}
{{- end -}}

{{/* The volumes of the allocator in one line. They cannot change, so an upgrade compares it with that of the installed object. */}}
{{- define "claimstream.volumeClaim" -}}
{{- with .Values.allocator.persistence -}}
{{- if .enabled }}{{ .size }} of {{ default "the default class" .storageClass }}{{ else }}none{{ end -}}
{{- end -}}
{{- end -}}

{{- define "claimstream.agentsNamespace" -}}
{{- .Values.agents.namespace.name -}}
{{- end -}}

{{/* The components with connections to Kafka and the registry, separated by spaces. "topics" has those of the Job and of "helm test". */}}
{{- define "claimstream.connected" -}}
topics allocator watcher console
{{- if not .Values.observeOnly }} writer{{ end }}
{{- if .Values.agents.enabled }} agents{{ end }}
{{- if .Values.simulator.enabled }} simulator{{ end }}
{{- if or .Values.archive.enabled .Values.checkpoints.enabled }} archive{{ end }}
{{- if .Values.shadow.enabled }} shadow{{ end }}
{{- if .Values.history.enabled }} history{{ end }}
{{- end -}}
