package dev.claimstream.manifests;

import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodClaim.Source;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/** Reads the fields of {@code core/v1 Pod} that affect the allocation of its claims. */
final class Pods {
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

    private Pods() {}

    static Pod of(ObjectMeta meta, Field specField, Field statusField) {
        Fields spec = specField.fieldsOrNone();
        Fields status = statusField.fieldsOrNone();
        Optional<String> nodeName = spec.get("nodeName").optionalText().filter(name -> !name.isEmpty());
        Map<String, Integer> users = users(spec);
        List<PodClaim> claims = claims(spec.get("resourceClaims"), status).stream()
                .map(claim -> new PodClaim(claim.name(), claim.source(), users.getOrDefault(claim.name(), 0)))
                .toList();
        checkUse(spec, claims);
        String phase = status.get("phase").text();
        Pod pod = new Pod(
                meta,
                nodeName,
                nodeSelector(spec.get("nodeSelector")),
                affinity(spec.get("affinity")),
                Taints.ofPod(spec.get("tolerations")),
                priority(spec),
                !spec.get("preemptionPolicy").text().equals("Never"),
                claims,
                ContainerResources.ofPod(spec),
                PodRequests.of(spec, status),
                PodRequests.spare(spec),
                spec.get("schedulingGroup").fieldsOrNone().get("podGroupName").optionalText(),
                gates(spec.get("schedulingGates")),
                PodTopologies.of(meta, spec),
                finished(phase, meta.deleting(), nodeName),
                isTerminal(phase) ? phase : "");
        spec.ignoring(IGNORED).endLeniently();
        return pod;
    }

    private static List<String> gates(Field field) {
        List<String> gates = new ArrayList<>();
        for (Field item : field.items()) {
            Fields fields = item.fieldsOrNone();
            gates.add(fields.get("name").text());
            fields.endLeniently();
        }
        return gates;
    }

    private static boolean finished(String phase, boolean deleting, Optional<String> nodeName) {
        return isTerminal(phase) || (deleting && nodeName.isEmpty());
    }

    private static boolean isTerminal(String phase) {
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    private static SortedMap<String, String> nodeSelector(Field field) {
        return Metadata.labels(field);
    }

    private static Optional<NodeSelector> affinity(Field field) {
        return field.fields()
                .flatMap(affinity -> affinity.get("nodeAffinity").fields())
                .flatMap(node -> NodeSelectors.of(node.get("requiredDuringSchedulingIgnoredDuringExecution")));
    }

    private static int priority(Fields spec) {
        Field field = spec.get("priority");
        Field className = spec.get("priorityClassName");
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
    private static Map<String, Optional<String>> statuses(Field field) {
        Map<String, Optional<String>> claims = new HashMap<>();
        for (Field item : field.items()) {
            Fields fields = item.fieldsOrNone();
            claims.put(
                    fields.get("name").text(), fields.get("resourceClaimName").optionalText());
            fields.endLeniently();
        }
        return claims;
    }

    /** Reads {@code spec.resourceClaims} of a pod or pod group, with the corresponding claims in its status. */
    static List<PodClaim> claims(Field field, Fields status) {
        Map<String, Optional<String>> statuses = statuses(status.get("resourceClaimStatuses"));
        List<Field> items = field.items();
        List<PodClaim> claims = new ArrayList<>(items.size());
        for (Field item : items) {
            item.kept();
            Fields fields = item.fieldsOrNone();
            String name = Names.label(fields.get("name"));
            claims.add(new PodClaim(name, source(fields, Optional.ofNullable(statuses.get(name)))));
            fields.end();
        }
        Names.checkUnique(items, claims.stream().map(PodClaim::name).toList());
        return claims;
    }

    private static Source source(Fields fields, Optional<Optional<String>> status) {
        Field claim = fields.get("resourceClaimName").kept();
        Field template = fields.get("resourceClaimTemplateName").kept();
        if (claim.isPresent() && template.isPresent()) {
            fields.self()
                    .invalid(
                            "",
                            "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
                            "leave one of the two out");
        }
        if (claim.isPresent()) {
            return new Source.Named(Names.subdomain(claim));
        }
        if (!template.isPresent()) {
            if (!fields.has("source")) {
                fields.self()
                        .invalid(
                                "",
                                "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
                                "write one of the two");
            }
            return new Source.Named("");
        }
        String name = Names.subdomain(template);
        return status.<Source>map(made ->
                        made.<Source>map(it -> new Source.Made(name, it)).orElseGet(() -> new Source.NotNeeded(name)))
                .orElseGet(() -> new Source.FromTemplate(name));
    }

    /** Warns about a claim that no container uses: it is allocated, but no container gets its devices, most likely by mistake. */
    private static void checkUse(Fields spec, List<PodClaim> claims) {
        Field containers = spec.get("containers");
        Field field = spec.get("resourceClaims");
        for (int i = 0; i < claims.size() && containers.isPresent(); i++) {
            String name = claims.get(i).name();
            if (claims.get(i).containers() == 0) {
                field.items()
                        .get(i)
                        .warn(
                                name,
                                "no container uses the claim: it is allocated, and nobody gets its devices",
                                "write resources: {claims: [{name: %s}]} in a container".formatted(name));
            }
        }
    }

    /** Checks that a container uses a claim either once as a whole or once per request. */
    private static void checkOverlap(List<Field> uses) {
        Set<String> whole = new HashSet<>();
        Set<String> named = new HashSet<>();
        Set<String> parts = new HashSet<>();
        for (Field use : uses) {
            Fields fields = use.fieldsOrNone();
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
    private static Map<String, Integer> users(Fields spec) {
        Map<String, Integer> users = new HashMap<>();
        for (String list : List.of("initContainers", "containers")) {
            for (Field container : spec.get(list).items()) {
                container
                        .fields()
                        .flatMap(fields -> fields.get("resources").fields())
                        .ifPresent(resources -> {
                            List<Field> uses = resources.get("claims").items();
                            checkOverlap(uses);
                            uses.stream()
                                    .map(use -> use.fieldsOrNone().get("name").text())
                                    .distinct()
                                    .forEach(name -> users.merge(name, 1, Integer::sum));
                        });
            }
        }
        return users;
    }
}
