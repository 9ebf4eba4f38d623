package dev.claimstream.manifests;

import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectMeta;
import java.util.List;

/** Reads the fields of {@code core/v1 Node} that affect scheduling. */
final class NodeObjectReader {
    private static final List<String> IGNORED =
            List.of("podCIDR", "podCIDRs", "providerID", "configSource", "externalID", "podPreemptionPolicy");

    private NodeObjectReader() {}

    static Node of(ObjectMeta meta, ManifestField specField, ManifestField statusField) {
        FieldMap spec = specField.fieldsOrEmpty();
        FieldMap status = statusField.fieldsOrEmpty();
        Node node = new Node(
                meta,
                TaintReader.ofNode(spec.get("taints")),
                spec.get("unschedulable").isTrue(),
                ready(status.get("conditions")),
                status.get("declaredFeatures").texts(),
                PodRequestReader.list(status.get("allocatable")));
        spec.ignore(IGNORED).warnUnknown();
        return node;
    }

    private static boolean ready(ManifestField conditions) {
        return conditions.items().stream()
                .map(ManifestField::fieldsOrEmpty)
                .filter(condition -> condition.get("type").text().equals("Ready"))
                .allMatch(condition -> condition.get("status").text().equals("True"));
    }
}
