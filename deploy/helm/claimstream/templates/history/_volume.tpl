{{/* The volume of the history in one line. It cannot change, so an upgrade compares it with that of the installed object. */}}
{{- define "claimstream.historyVolume" -}}
{{- with .Values.history.persistence -}}
{{- if .enabled }}{{ .size }} of {{ default "the default class" .storageClass }}{{ else }}none{{ end -}}
{{- end -}}
{{- end -}}
