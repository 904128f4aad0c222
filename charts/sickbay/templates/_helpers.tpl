{{- define "sickbay.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "sickbay.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "sickbay.labels" -}}
{{ include "sickbay.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "sickbay.account" -}}
{{- default (include "sickbay.fullname" .) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "sickbay.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{/* The rules by the names of roles, in the files that are generated from the code: those of the enabled controllers. */}}
{{- define "sickbay.rules" -}}
{{- $names := concat (list "manager") (uniq .Values.controllers) -}}
{{- if .Values.dashboard.enabled -}}{{- $names = append $names "dashboard" -}}{{- end -}}
{{- $roles := dict -}}
{{- range $name := $names -}}
{{- range $document := splitList "---\n" ($.Files.Get (printf "files/rbac/%s.yaml" $name)) -}}
{{- $role := fromYaml $document -}}
{{- if eq (default "" $role.kind) "ClusterRole" -}}
{{- if ne $role.metadata.name "openshift" -}}
{{- $_ := set $roles $name $role.rules -}}
{{- else if $.Values.openshift.enabled -}}
{{- $_ := set $roles (printf "%s-openshift" $name) $role.rules -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $roles -}}
{{- end -}}

{{/* Whether a rule is about what is in no namespace, or about all namespaces whatever is watched. */}}
{{- define "sickbay.clusterScoped" -}}
{{- range .resources -}}
{{- if has . (list "clusterversions" "machineconfigpools" "nodes" "pods" "volumeattachments" "tokenreviews" "subjectaccessreviews") -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{- define "sickbay.subjects" -}}
- kind: ServiceAccount
  name: {{ include "sickbay.account" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}

{{/* A role and its binding. It takes root, name and rules; namespace is where it is bound, empty for everywhere. */}}
{{- define "sickbay.grant" -}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ .name }}
  labels: {{- include "sickbay.labels" .root | nindent 4 }}
rules: {{- toYaml .rules | nindent 0 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ empty .namespace | ternary "ClusterRoleBinding" "RoleBinding" }}
metadata:
  name: {{ .name }}
  {{- with .namespace }}
  namespace: {{ . }}
  {{- end }}
  labels: {{- include "sickbay.labels" .root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ .name }}
subjects: {{- include "sickbay.subjects" .root | nindent 0 }}
{{ end -}}
