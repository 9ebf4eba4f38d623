package dev.claimstream.manifests;

import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectMeta;
import java.util.List;

/** Reads the fields of {@code core/v1 Node} that affect scheduling. */
final class Nodes {
    private static final List<String> IGNORED =
            List.of("podCIDR", "podCIDRs", "providerID", "configSource", "externalID", "podPreemptionPolicy");

    private Nodes() {}

    static Node of(ObjectMeta meta, Field specField, Field statusField) {
        Fields spec = specField.fieldsOrNone();
        Fields status = statusField.fieldsOrNone();
        Node node = new Node(
                meta,
                Taints.ofNode(spec.get("taints")),
                spec.get("unschedulable").isTrue(),
                ready(status.get("conditions")),
                status.get("declaredFeatures").texts(),
                PodRequests.list(status.get("allocatable")));
        spec.ignoring(IGNORED).endLeniently();
        return node;
    }

    private static boolean ready(Field conditions) {
        return conditions.items().stream()
                .map(Field::fieldsOrNone)
                .filter(condition -> condition.get("type").text().equals("Ready"))
                .allMatch(condition -> condition.get("status").text().equals("True"));
    }
}
