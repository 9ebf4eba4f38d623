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
final class PodTopologies {
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
    private static final String DEFAULT_SCHEDULER = "default-scheduler";

    /** Volumes that restrict the node of a pod: by their topology, by exclusive use, or by the number of volumes per node. */
    private static final List<String> PLACED_VOLUMES = List.of(
            "persistentVolumeClaim",
            "ephemeral",
            "awsElasticBlockStore",
            "azureDisk",
            "cinder",
            "gcePersistentDisk",
            "iscsi",
            "rbd");

    private PodTopologies() {}

    static PodTopology of(ObjectMeta meta, Fields spec) {
        Fields affinity = spec.get("affinity").fieldsOrNone();
        return new PodTopology(
                terms(meta, affinity.get("podAffinity")),
                terms(meta, affinity.get("podAntiAffinity")),
                spread(meta, spec.get("topologySpreadConstraints")),
                hostPorts(spec),
                spec.get("volumes").items().stream()
                        .map(Field::fieldsOrNone)
                        .anyMatch(volume -> PLACED_VOLUMES.stream().anyMatch(volume::has)),
                prefers(spec, affinity),
                spec.get("schedulerName")
                        .optionalText()
                        .filter(name -> !name.isEmpty() && !name.equals(DEFAULT_SCHEDULER)));
    }

    private static boolean prefers(Fields spec, Fields affinity) {
        return Stream.of("nodeAffinity", "podAffinity", "podAntiAffinity")
                        .map(kind -> affinity.get(kind).fieldsOrNone().get(PREFERRED))
                        .anyMatch(terms -> !terms.items().isEmpty())
                || spec.get("topologySpreadConstraints").items().stream()
                        .anyMatch(item -> item.fieldsOrNone()
                                .get("whenUnsatisfiable")
                                .text()
                                .equals("ScheduleAnyway"));
    }

    private static List<PodAffinityTerm> terms(ObjectMeta meta, Field field) {
        return field.fieldsOrNone().get(REQUIRED).items().stream()
                .map(item -> term(meta, item.fieldsOrNone()))
                .toList();
    }

    private static PodAffinityTerm term(ObjectMeta meta, Fields fields) {
        Optional<LabelSelector> selector = selector(fields.get("labelSelector"));
        selector = withKeys(selector, meta, "In", fields.get("matchLabelKeys"));
        selector = withKeys(selector, meta, "NotIn", fields.get("mismatchLabelKeys"));
        var term = new PodAffinityTerm(
                topologyKey(fields),
                selector,
                new TreeSet<>(fields.get("namespaces").texts()),
                selector(fields.get("namespaceSelector")));
        fields.endLeniently();
        return term;
    }

    private static String topologyKey(Fields fields) {
        Field key = fields.get("topologyKey");
        if (key.text().isEmpty()) {
            key.required("can not be empty");
        } else {
            Names.checkLabelName(key, key.text());
        }
        return key.text();
    }

    private static List<TopologySpreadConstraint> spread(ObjectMeta meta, Field field) {
        List<TopologySpreadConstraint> constraints = new ArrayList<>();
        for (Field item : field.items()) {
            Fields fields = item.fieldsOrNone();
            Field unsatisfiable = fields.get("whenUnsatisfiable");
            unsatisfiable.oneOf(unsatisfiable.text(), List.of("DoNotSchedule", "ScheduleAnyway"));
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
            fields.endLeniently();
        }
        return constraints;
    }

    private static long atLeastOne(Field field, long absent) {
        long number = field.integer(absent);
        if (number < 1) {
            field.invalid(Long.toString(number), "must be greater than 0", "write 1 or more");
        }
        return Math.max(1, number);
    }

    private static boolean isHonored(Field field, boolean absent) {
        if (!field.isPresent()) {
            return absent;
        }
        field.oneOf(field.text(), List.of("Honor", "Ignore"));
        return field.text().equals("Honor");
    }

    /**
     * Adds requirements for label keys to a selector. Newer API servers already did that; a requirement that is there is not added again.
     */
    private static Optional<LabelSelector> withKeys(
            Optional<LabelSelector> selector, ObjectMeta meta, String operator, Field keys) {
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

    private static Optional<LabelSelector> selector(Field field) {
        return field.fields().map(fields -> {
            List<Requirement> requirements = new ArrayList<>();
            Metadata.labels(fields.get("matchLabels"))
                    .forEach((key, value) -> requirements.add(new Requirement(key, "In", List.of(value))));
            fields.get("matchExpressions").items().forEach(item -> requirements.add(expression(item)));
            fields.end();
            return new LabelSelector(requirements);
        });
    }

    private static Requirement expression(Field field) {
        Fields fields = field.fieldsOrNone();
        Field key = fields.get("key");
        Names.checkLabelName(key, key.text());
        Field operator = fields.get("operator");
        Field values = fields.get("values");
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
        fields.end();
        return new Requirement(key.text(), operator.text(), values.texts());
    }

    /** Reads the host ports of containers that run at the same time. With {@code hostNetwork} every container port is a host port. */
    private static List<HostPort> hostPorts(Fields spec) {
        boolean isOnHost = spec.get("hostNetwork").isTrue();
        Stream<Fields> running = Stream.concat(
                spec.get("containers").items().stream().map(Field::fieldsOrNone),
                spec.get("initContainers").items().stream()
                        .map(Field::fieldsOrNone)
                        .filter(container ->
                                container.get("restartPolicy").text().equals("Always")));
        return running.flatMap(container -> container.get("ports").items().stream())
                .map(Field::fieldsOrNone)
                .flatMap(port -> hostPort(port, isOnHost).stream())
                .distinct()
                .toList();
    }

    private static Optional<HostPort> hostPort(Fields fields, boolean isOnHost) {
        long ofHost = fields.get("hostPort")
                .integer(isOnHost ? fields.get("containerPort").integer(0) : 0);
        String address = fields.get("hostIP").text();
        String protocol = fields.get("protocol").text();
        return ofHost < 1 || ofHost > 65_535
                ? Optional.empty()
                : Optional.of(new HostPort(
                        address.isEmpty() ? HostPort.EVERY : address, protocol.isEmpty() ? "TCP" : protocol, (int)
                                ofHost));
    }
}
