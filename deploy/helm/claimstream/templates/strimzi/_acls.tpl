{{/* ACLs of a KafkaUser with the permissions of principals. Arguments: root, principals (names in files/principals.yaml). Read and Write include Describe. */}}
{{- define "claimstream.acls" -}}
{{- $root := .root -}}
{{- $table := fromYaml ($root.Files.Get "files/principals.yaml") -}}
{{- $services := list -}}
{{- $writes := list -}}
{{- $creates := false -}}
{{- range .principals -}}
{{- $principal := index $table . -}}
{{- $services = concat $services $principal.services -}}
{{- $writes = concat $writes $principal.writes -}}
{{- if $principal.creates }}{{ $creates = true }}{{ end -}}
{{- end -}}
{{- range $topic, $contract := fromYaml ($root.Files.Get "files/topics.yaml") -}}
{{- $operations := list -}}
{{- range $contract.readers }}{{ if has . $services }}{{ $operations = append $operations "Read" }}{{ end }}{{ end -}}
{{- range $contract.writers }}{{ if has . $services }}{{ $operations = append $operations "Write" }}{{ end }}{{ end -}}
{{- if has $topic $writes }}{{ $operations = append $operations "Write" }}{{ end -}}
{{- if $creates }}{{ $operations = concat $operations (list "Describe" "DescribeConfigs") }}{{ end -}}
{{- if and $creates (eq $root.Values.topics.mode "create") }}{{ $operations = append $operations "Create" }}{{ end -}}
{{- if $operations }}
- resource: {type: topic, name: {{ $topic }}, patternType: literal}
  operations: {{ toJson (uniq $operations) }}
{{- end -}}
{{- end -}}
{{- range .principals -}}
{{- $principal := index $table . -}}
{{- range $name, $pattern := $principal.groups }}
- resource: {type: group, name: {{ $name }}, patternType: {{ $pattern }}}
  operations: [Read]
{{- end -}}
{{- range $name, $pattern := index $principal "describes-groups" }}
- resource: {type: group, name: {{ $name }}, patternType: {{ $pattern }}}
  operations: [Describe]
{{- end -}}
{{- range $name, $pattern := index $principal "transactional-ids" }}
- resource: {type: transactionalId, name: {{ $name }}, patternType: {{ $pattern }}}
  operations: [Write]
{{- end -}}
{{- end -}}
{{- end -}}

{{/* A KafkaUser. Arguments: root, name, authentication, principals, quotas (as in principals.yaml). */}}
{{- define "claimstream.kafkaUser" -}}
apiVersion: {{ .root.Values.strimzi.apiVersion }}
kind: KafkaUser
metadata:
  {{- include "claimstream.metadata" (dict "root" .root "component" "topics" "name" .name "namespace" .root.Values.strimzi.namespace "labels" (dict "strimzi.io/cluster" .root.Values.strimzi.cluster)) | nindent 2 }}
spec:
  authentication: {type: {{ .authentication }}}
  {{- with .quotas }}
  quotas:
    {{- range $name, $value := . }}
    {{ $name | camelcase | untitle }}: {{ $value | int64 }}
    {{- end }}
  {{- end }}
  authorization:
    type: simple
    acls:
      {{- include "claimstream.acls" . | trim | nindent 6 }}
{{- end -}}
