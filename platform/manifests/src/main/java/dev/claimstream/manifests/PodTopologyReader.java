package dev.claimstream.manifests;

import dev.claimstream.dra.HostPort;
import dev.claimstream.dra.LabelSelector;
import dev.claimstream.dra.NodeSelector.Requirement;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.PodAffinityTerm;
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Reads the fields of {@code core/v1 PodSpec} by which other pods restrict the node of a pod. */
final class PodTopologyReader {
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
    private static final String DEFAULT_SCHEDULER = "default-scheduler";

    /** Volumes that restrict the node of a pod: by their topology, by exclusive use, or by the number of volumes per node. */
    private static final List<String> PLACEMENT_VOLUMES = List.of(
            "persistentVolumeClaim",
            "ephemeral",
            "awsElasticBlockStore",
            "azureDisk",
            "cinder",
            "gcePersistentDisk",
            "iscsi",
            "rbd");

    private PodTopologyReader() {}

    static PodTopology of(ObjectMeta meta, FieldMap spec) {
        FieldMap affinity = spec.get("affinity").fieldsOrEmpty();
        return new PodTopology(
                terms(meta, affinity.get("podAffinity")),
                terms(meta, affinity.get("podAntiAffinity")),
                spread(meta, spec.get("topologySpreadConstraints")),
                hostPorts(spec),
                spec.get("volumes").items().stream()
                        .map(ManifestField::fieldsOrEmpty)
                        .anyMatch(volume -> PLACEMENT_VOLUMES.stream().anyMatch(volume::has)),
                prefers(spec, affinity),
                spec.get("schedulerName")
                        .optionalText()
                        .filter(name -> !name.isEmpty() && !name.equals(DEFAULT_SCHEDULER)));
    }

    private static boolean prefers(FieldMap spec, FieldMap affinity) {
        return Stream.of("nodeAffinity", "podAffinity", "podAntiAffinity")
                        .map(kind -> affinity.get(kind).fieldsOrEmpty().get(PREFERRED))
                        .anyMatch(terms -> !terms.items().isEmpty())
                || spec.get("topologySpreadConstraints").items().stream()
                        .anyMatch(item -> item.fieldsOrEmpty()
                                .get("whenUnsatisfiable")
                                .text()
                                .equals("ScheduleAnyway"));
    }

    private static List<PodAffinityTerm> terms(ObjectMeta meta, ManifestField field) {
        return field.fieldsOrEmpty().get(REQUIRED).items().stream()
                .map(item -> term(meta, item.fieldsOrEmpty()))
                .toList();
    }

    private static PodAffinityTerm term(ObjectMeta meta, FieldMap fields) {
        Optional<LabelSelector> selector = selector(fields.get("labelSelector"));
        selector = withKeys(selector, meta, "In", fields.get("matchLabelKeys"));
        selector = withKeys(selector, meta, "NotIn", fields.get("mismatchLabelKeys"));
        var term = new PodAffinityTerm(
                topologyKey(fields),
                selector,
                new TreeSet<>(fields.get("namespaces").texts()),
                selector(fields.get("namespaceSelector")));
        fields.warnUnknown();
        return term;
    }

    private static String topologyKey(FieldMap fields) {
        ManifestField key = fields.get("topologyKey");
        if (key.text().isEmpty()) {
            key.required("can not be empty");
        } else {
            NameValidation.checkLabelName(key, key.text());
        }
        return key.text();
    }

    private static List<TopologySpreadConstraint> spread(ObjectMeta meta, ManifestField field) {
        List<TopologySpreadConstraint> constraints = new ArrayList<>();
        for (ManifestField item : field.items()) {
            FieldMap fields = item.fieldsOrEmpty();
            ManifestField unsatisfiable = fields.get("whenUnsatisfiable");
            unsatisfiable.requireOneOf(unsatisfiable.text(), List.of("DoNotSchedule", "ScheduleAnyway"));
            var constraint = new TopologySpreadConstraint(
                    topologyKey(fields),
                    atLeastOne(fields.get("maxSkew"), 0),
                    atLeastOne(fields.get("minDomains"), 1),
                    withKeys(selector(fields.get("labelSelector")), meta, "In", fields.get("matchLabelKeys")),
                    isHonored(fields.get("nodeAffinityPolicy"), true),
                    isHonored(fields.get("nodeTaintsPolicy"), false));
            if (unsatisfiable.text().equals("DoNotSchedule")) {
                constraints.add(constraint);
            }
            fields.warnUnknown();
        }
        return constraints;
    }

    private static long atLeastOne(ManifestField field, long absent) {
        long number = field.integer(absent);
        if (number < 1) {
            field.invalid(Long.toString(number), "must be greater than 0", "write 1 or more");
        }
        return Math.max(1, number);
    }

    private static boolean isHonored(ManifestField field, boolean absent) {
        if (!field.isPresent()) {
            return absent;
        }
        field.requireOneOf(field.text(), List.of("Honor", "Ignore"));
        return field.text().equals("Honor");
    }

    /**
     * Adds requirements for label keys to a selector. Newer API servers already did that; a requirement that is there is not added again.
     */
    private static Optional<LabelSelector> withKeys(
            Optional<LabelSelector> selector, ObjectMeta meta, String operator, ManifestField keys) {
        List<Requirement> more = keys.texts().stream()
                .flatMap(key -> Optional.ofNullable(meta.labels().get(key))
                        .map(value -> new Requirement(key, operator, List.of(value)))
                        .stream())
                .toList();
        return selector.map(each -> new LabelSelector(Stream.concat(
                        each.requirements().stream(),
                        more.stream().filter(key -> !each.requirements().contains(key)))
                .toList()));
    }

    /** Reads a label selector; empty if there is none. */
    static Optional<LabelSelector> selector(ManifestField field) {
        return field.fields().map(fields -> {
            List<Requirement> requirements = new ArrayList<>();
            MetadataReader.labels(fields.get("matchLabels"))
                    .forEach((key, value) -> requirements.add(new Requirement(key, "In", List.of(value))));
            fields.get("matchExpressions").items().forEach(item -> requirements.add(expression(item)));
            fields.reportUnknown();
            return new LabelSelector(requirements);
        });
    }

    private static Requirement expression(ManifestField field) {
        FieldMap fields = field.fieldsOrEmpty();
        ManifestField key = fields.get("key");
        NameValidation.checkLabelName(key, key.text());
        ManifestField operator = fields.get("operator");
        ManifestField values = fields.get("values");
        switch (operator.text()) {
            case "In", "NotIn" -> {
                if (values.items().isEmpty()) {
                    values.required("must be specified when `operator` is 'In' or 'NotIn'");
                }
            }
            case "Exists", "DoesNotExist" -> {
                if (!values.items().isEmpty()) {
                    values.forbidden(
                            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'", "leave values out");
                }
            }
            default ->
                operator.invalid(
                        operator.text(),
                        "not a valid label selector operator",
                        "write one of In, NotIn, Exists, DoesNotExist");
        }
        fields.reportUnknown();
        return new Requirement(key.text(), operator.text(), values.texts());
    }

    /** Reads the host ports of containers that run at the same time. With {@code hostNetwork} every container port is a host port. */
    private static List<HostPort> hostPorts(FieldMap spec) {
        boolean isOnHost = spec.get("hostNetwork").isTrue();
        Stream<FieldMap> running = Stream.concat(
                spec.get("containers").items().stream().map(ManifestField::fieldsOrEmpty),
                spec.get("initContainers").items().stream()
                        .map(ManifestField::fieldsOrEmpty)
                        .filter(container ->
                                container.get("restartPolicy").text().equals("Always")));
        return running.flatMap(container -> container.get("ports").items().stream())
                .map(ManifestField::fieldsOrEmpty)
                .flatMap(port -> hostPort(port, isOnHost).stream())
                .distinct()
                .toList();
    }

    private static Optional<HostPort> hostPort(FieldMap fields, boolean isOnHost) {
        long ofHost = fields.get("hostPort")
                .integer(isOnHost ? fields.get("containerPort").integer(0) : 0);
        String address = fields.get("hostIP").text();
        String protocol = fields.get("protocol").text();
        return ofHost < 1 || ofHost > 65_535
                ? Optional.empty()
                : Optional.of(new HostPort(
                        address.isEmpty() ? HostPort.ALL_ADDRESSES : address,
                        protocol.isEmpty() ? "TCP" : protocol,
                        (int) ofHost));
    }
}
