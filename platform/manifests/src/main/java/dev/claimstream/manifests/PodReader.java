package dev.claimstream.manifests;

import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodClaim.ClaimSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/** Reads the fields of {@code core/v1 Pod} that affect the allocation of its claims. */
final class PodReader {
    // Fields of core/v1 PodSpec (1.37) that do not affect allocation. Any field that is in no list gets a warning.
    private static final List<String> IGNORED = List.of(
            "activeDeadlineSeconds",
            "automountServiceAccountToken",
            "dnsConfig",
            "dnsPolicy",
            "enableServiceLinks",
            "ephemeralContainers",
            "evictionResponders",
            "hostAliases",
            "hostIPC",
            "hostPID",
            "hostUsers",
            "hostname",
            "hostnameOverride",
            "imagePullSecrets",
            "os",
            "readinessGates",
            "restartPolicy",
            "runtimeClassName",
            "securityContext",
            "serviceAccount",
            "serviceAccountName",
            "setHostnameAsFQDN",
            "shareProcessNamespace",
            "subdomain",
            "terminationGracePeriodSeconds",
            "workloadRef");

    private PodReader() {}

    static Pod of(ObjectMeta meta, ManifestField specField, ManifestField statusField) {
        FieldMap spec = specField.fieldsOrEmpty();
        FieldMap status = statusField.fieldsOrEmpty();
        Optional<String> nodeName = spec.get("nodeName").optionalText().filter(name -> !name.isEmpty());
        Map<String, Integer> users = users(spec);
        List<PodClaim> claims = claims(spec.get("resourceClaims"), status).stream()
                .map(claim -> new PodClaim(claim.name(), claim.source(), users.getOrDefault(claim.name(), 0)))
                .toList();
        checkUse(spec, claims);
        String phase = status.get("phase").text();
        Pod pod = Pod.builder(meta)
                .nodeName(nodeName)
                .nodeSelector(nodeSelector(spec.get("nodeSelector")))
                .requiredAffinity(affinity(spec.get("affinity")))
                .tolerations(TaintReader.ofPod(spec.get("tolerations")))
                .priority(priority(spec))
                .preempts(!spec.get("preemptionPolicy").text().equals("Never"))
                .resourceClaims(claims)
                .containerResources(ContainerResourceReader.ofPod(spec))
                .requests(PodRequestReader.of(spec, status))
                .spare(PodRequestReader.spare(spec))
                .podGroup(spec.get("schedulingGroup")
                        .fieldsOrEmpty()
                        .get("podGroupName")
                        .optionalText())
                .schedulingGates(gates(spec.get("schedulingGates")))
                .topology(PodTopologyReader.of(meta, spec))
                .finished(finished(phase, meta.deleting(), nodeName))
                .phase(isTerminal(phase) ? phase : "")
                .build();
        spec.ignore(IGNORED).warnUnknown();
        return pod;
    }

    private static List<String> gates(ManifestField field) {
        List<String> gates = new ArrayList<>();
        for (ManifestField item : field.items()) {
            FieldMap fields = item.fieldsOrEmpty();
            gates.add(fields.get("name").text());
            fields.warnUnknown();
        }
        return gates;
    }

    private static boolean finished(String phase, boolean deleting, Optional<String> nodeName) {
        return isTerminal(phase) || (deleting && nodeName.isEmpty());
    }

    private static boolean isTerminal(String phase) {
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    private static SortedMap<String, String> nodeSelector(ManifestField field) {
        return MetadataReader.labels(field);
    }

    private static Optional<NodeSelector> affinity(ManifestField field) {
        return field.fields()
                .flatMap(affinity -> affinity.get("nodeAffinity").fields())
                .flatMap(node -> NodeSelectorReader.of(node.get("requiredDuringSchedulingIgnoredDuringExecution")));
    }

    private static int priority(FieldMap spec) {
        ManifestField field = spec.get("priority");
        ManifestField className = spec.get("priorityClassName");
        long priority = field.integer(0);
        if (priority != (int) priority) {
            field.error(Long.toString(priority), "Invalid value: not a whole number of 32 bits", "write a smaller one");
        }
        if (!field.isPresent() && !className.text().isEmpty()) {
            className.warn(className.text(), "a PriorityClass is not looked up: the priority is 0", "write priority:");
        }
        return (int) priority;
    }

    /** Reads the claims in the status; the name is absent if the status says that no claim is needed. */
    private static Map<String, Optional<String>> statuses(ManifestField field) {
        Map<String, Optional<String>> claims = new HashMap<>();
        for (ManifestField item : field.items()) {
            FieldMap fields = item.fieldsOrEmpty();
            claims.put(
                    fields.get("name").text(), fields.get("resourceClaimName").optionalText());
            fields.warnUnknown();
        }
        return claims;
    }

    /** Reads {@code spec.resourceClaims} of a pod or pod group, with the corresponding claims in its status. */
    static List<PodClaim> claims(ManifestField field, FieldMap status) {
        Map<String, Optional<String>> statuses = statuses(status.get("resourceClaimStatuses"));
        List<ManifestField> items = field.items();
        List<PodClaim> claims = new ArrayList<>(items.size());
        for (ManifestField item : items) {
            item.recordLocation();
            FieldMap fields = item.fieldsOrEmpty();
            String name = NameValidation.label(fields.get("name"));
            claims.add(new PodClaim(name, source(fields, Optional.ofNullable(statuses.get(name)))));
            fields.reportUnknown();
        }
        NameValidation.checkUnique(items, claims.stream().map(PodClaim::name).toList());
        return claims;
    }

    private static ClaimSource source(FieldMap fields, Optional<Optional<String>> status) {
        ManifestField claim = fields.get("resourceClaimName").recordLocation();
        ManifestField template = fields.get("resourceClaimTemplateName").recordLocation();
        if (claim.isPresent() && template.isPresent()) {
            fields.self()
                    .invalid(
                            "",
                            "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
                            "leave one of the two out");
        }
        if (claim.isPresent()) {
            return new ClaimSource.ClaimReference(NameValidation.subdomain(claim));
        }
        if (!template.isPresent()) {
            if (!fields.has("source")) {
                fields.self()
                        .invalid(
                                "",
                                "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
                                "write one of the two");
            }
            return new ClaimSource.ClaimReference("");
        }
        String name = NameValidation.subdomain(template);
        return status.<ClaimSource>map(made -> made.<ClaimSource>map(it -> new ClaimSource.GeneratedClaim(name, it))
                        .orElseGet(() -> new ClaimSource.NoClaimNeeded(name)))
                .orElseGet(() -> new ClaimSource.TemplateReference(name));
    }

    /** Warns about a claim that no container uses: it is allocated, but no container gets its devices, most likely by mistake. */
    private static void checkUse(FieldMap spec, List<PodClaim> claims) {
        ManifestField containers = spec.get("containers");
        ManifestField field = spec.get("resourceClaims");
        for (int i = 0; i < claims.size() && containers.isPresent(); i++) {
            String name = claims.get(i).name();
            if (claims.get(i).containers() == 0) {
                field.items()
                        .get(i)
                        .warn(
                                name,
                                "no container uses the claim: its devices are allocated but no container gets them",
                                "write resources: {claims: [{name: %s}]} in a container".formatted(name));
            }
        }
    }

    /** Checks that a container uses a claim either once as a whole or once per request. */
    private static void checkOverlap(List<ManifestField> uses) {
        Set<String> whole = new HashSet<>();
        Set<String> named = new HashSet<>();
        Set<String> parts = new HashSet<>();
        for (ManifestField use : uses) {
            FieldMap fields = use.fieldsOrEmpty();
            String name = fields.get("name").text();
            String request = fields.get("request").text();
            String part = name + "/" + request;
            if (whole.contains(name) || (request.isEmpty() && named.contains(name))) {
                use.duplicate(name);
            } else if (!request.isEmpty() && !parts.add(part)) {
                use.duplicate(part);
            }
            if (request.isEmpty()) {
                whole.add(name);
            }
            named.add(name);
        }
    }

    /** Counts the containers that use each claim, by the claim's name inside the pod. */
    private static Map<String, Integer> users(FieldMap spec) {
        Map<String, Integer> users = new HashMap<>();
        for (String list : List.of("initContainers", "containers")) {
            for (ManifestField container : spec.get(list).items()) {
                container
                        .fields()
                        .flatMap(fields -> fields.get("resources").fields())
                        .ifPresent(resources -> {
                            List<ManifestField> uses = resources.get("claims").items();
                            checkOverlap(uses);
                            uses.stream()
                                    .map(use -> use.fieldsOrEmpty().get("name").text())
                                    .distinct()
                                    .forEach(name -> users.merge(name, 1, Integer::sum));
                        });
            }
        }
        return users;
    }
}
