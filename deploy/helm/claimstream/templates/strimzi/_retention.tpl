{{/* Milliseconds of P7D, PT6H or forever. */}}
{{- define "claimstream.milliseconds" -}}
{{- if eq . "forever" -}}
-1
{{- else if regexMatch "^P[0-9]+D$" . -}}
{{- mul (. | trimPrefix "P" | trimSuffix "D" | int64) 86400000 -}}
{{- else if regexMatch "^PT[0-9]+H$" . -}}
{{- mul (. | trimPrefix "PT" | trimSuffix "H" | int64) 3600000 -}}
{{- else -}}
{{- fail (printf "files/topics.yaml: retention %s is neither days nor hours" .) -}}
{{- end -}}
{{- end -}}
