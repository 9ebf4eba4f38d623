package dev.claimstream.wire;

import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.Taint;
import dev.claimstream.dra.Toleration;
import dev.claimstream.schemas.NodeScopeRecord;
import dev.claimstream.schemas.NodeSelectorRecord;
import dev.claimstream.schemas.NodeSelectorRequirement;
import dev.claimstream.schemas.NodeSelectorTerm;
import dev.claimstream.schemas.ObjectMetaRecord;
import dev.claimstream.schemas.OpaqueConfigRecord;
import dev.claimstream.schemas.OwnerRecord;
import dev.claimstream.schemas.TaintRecord;
import dev.claimstream.schemas.TolerationRecord;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Converts metadata, selectors, taints, quantities and other common parts to and from Avro. */
final class MetadataCodec {
    /** A shared instance, because every device has a scope. */
    static final NodeScope UNSET = new NodeScope.UnknownScope();

    private static final NodeScope PER_DEVICE = new NodeScope.PerDevice();

    private MetadataCodec() {}

    static ObjectMetaRecord to(ObjectMeta meta) {
        return new ObjectMetaRecord(
                meta.namespace(),
                meta.name(),
                meta.uid(),
                AvroTimestamps.micros(meta.created()).orElse(null),
                meta.sequence(),
                new TreeMap<>(meta.labels()),
                new TreeMap<>(meta.annotations()),
                meta.controller()
                        .map(owner -> new OwnerRecord(owner.kind(), owner.name(), owner.uid(), owner.apiVersion()))
                        .orElse(null),
                meta.deleting());
    }

    static ObjectMeta from(ObjectMetaRecord meta) {
        return ObjectMeta.builder(meta.getNamespace(), meta.getName(), meta.getUid())
                .created(meta.getCreated())
                .sequence(meta.getSequence())
                .labels(new TreeMap<>(meta.getLabels()))
                .annotations(new TreeMap<>(meta.getAnnotations()))
                .controller(meta.getController()
                        .map(owner ->
                                new Owner(owner.getApiVersion(), owner.getKind(), owner.getName(), owner.getUid())))
                .deleting(meta.getDeleting())
                .build();
    }

    static TaintRecord to(Taint taint) {
        return new TaintRecord(
                taint.key(),
                taint.value(),
                taint.effect(),
                AvroTimestamps.micros(taint.timeAdded()).orElse(null));
    }

    static Taint from(TaintRecord taint) {
        return new Taint(taint.getKey(), taint.getValue(), taint.getEffect(), taint.getTimeAdded());
    }

    static TolerationRecord to(Toleration toleration) {
        return new TolerationRecord(
                toleration.key(),
                toleration.operator(),
                toleration.value(),
                toleration.effect(),
                toleration.tolerationSeconds().orElse(null));
    }

    static Toleration from(TolerationRecord toleration) {
        return new Toleration(
                toleration.getKey(),
                toleration.getOperator(),
                toleration.getValue(),
                toleration.getEffect(),
                toleration.getTolerationSeconds());
    }

    static NodeSelectorRecord to(NodeSelector selector) {
        return new NodeSelectorRecord(selector.terms().stream()
                .map(term ->
                        new NodeSelectorTerm(requirements(term.matchExpressions()), requirements(term.matchFields())))
                .toList());
    }

    static List<NodeSelectorRequirement> requirements(List<NodeSelector.Requirement> requirements) {
        return requirements.stream()
                .map(each -> new NodeSelectorRequirement(each.key(), each.operator(), each.values()))
                .toList();
    }

    static NodeSelector from(NodeSelectorRecord selector) {
        return new NodeSelector(selector.getTerms().stream()
                .map(term -> new NodeSelector.Term(
                        requirementsFrom(term.getMatchExpressions()), requirementsFrom(term.getMatchFields())))
                .toList());
    }

    static List<NodeSelector.Requirement> requirementsFrom(List<NodeSelectorRequirement> requirements) {
        return requirements.stream()
                .map(each -> new NodeSelector.Requirement(each.getKey(), each.getOperator(), each.getValues()))
                .toList();
    }

    static NodeScopeRecord to(NodeScope scope) {
        return switch (scope) {
            case NodeScope.SingleNode on -> new NodeScopeRecord(on.node(), false, null, false);
            case NodeScope.AllNodes all -> new NodeScopeRecord(null, true, null, false);
            case NodeScope.MatchingNodes matching -> new NodeScopeRecord(null, false, to(matching.selector()), false);
            case NodeScope.PerDevice perDevice -> new NodeScopeRecord(null, false, null, true);
            case NodeScope.UnknownScope unset -> new NodeScopeRecord(null, false, null, false);
        };
    }

    static NodeScope from(NodeScopeRecord scope) {
        if (scope.getNode().isPresent()) {
            return new NodeScope.SingleNode(scope.getNode().get());
        }
        if (scope.getAllNodes()) {
            return new NodeScope.AllNodes();
        }
        if (scope.getNodeSelector().isPresent()) {
            return new NodeScope.MatchingNodes(from(scope.getNodeSelector().get()));
        }
        return scope.getPerDevice() ? PER_DEVICE : UNSET;
    }

    static OpaqueConfigRecord to(OpaqueConfig config) {
        return new OpaqueConfigRecord(config.driver(), config.parameters());
    }

    static OpaqueConfig from(OpaqueConfigRecord config) {
        return new OpaqueConfig(config.getDriver(), config.getParameters());
    }

    static Map<String, String> to(SortedMap<String, Quantity> quantities) {
        var texts = new TreeMap<String, String>();
        quantities.forEach((name, quantity) -> texts.put(name, quantity.toString()));
        return texts;
    }

    /**
     * Parses a quantity and normalises it to its canonical form.
     *
     * <p>State rows store the canonical form. Normalisation makes the value before a restart equal to the restored value, including its
     * internal representation.
     */
    static Quantity quantity(String text) {
        return Quantity.parse(Quantity.parse(text).toString());
    }

    static SortedMap<String, Quantity> quantities(Map<String, String> texts) {
        var quantities = new TreeMap<String, Quantity>();
        texts.forEach((name, text) -> quantities.put(name, quantity(text)));
        return quantities;
    }
}
