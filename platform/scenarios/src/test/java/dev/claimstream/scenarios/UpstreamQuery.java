package dev.claimstream.scenarios;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.manifests.AllocationReader;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.tree.ScalarType;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.write.ManifestWriter;
import dev.claimstream.scenarios.random.Problem;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A problem, as read by Claimstream and as a request to upstream. */
final class UpstreamQuery {
    private static final ReadOptions OPTIONS = ReadOptions.DEFAULT.with(ReadOptions.Strictness.SERVED);
    private static final long UPSTREAM_MILLIS = 200;

    private final Problem problem;
    private final ManifestReadResult reading;
    private final List<ClusterObject> objects;
    private final List<ObjectKey> claims;

    UpstreamQuery(Problem problem) {
        this.problem = problem;
        String text = ManifestWriter.list(problem.objects()).json();
        this.reading =
                Manifests.read("problem", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), OPTIONS);
        this.objects = ClusterCompletion.complete(reading.manifests()).stream()
                .map(Manifest::object)
                .toList();
        this.claims = problem.claims().stream().map(UpstreamQuery::key).toList();
    }

    private static ObjectKey key(String text) {
        int slash = text.indexOf('/');
        return new ObjectKey(text.substring(0, slash), text.substring(slash + 1));
    }

    Problem problem() {
        return problem;
    }

    List<ClusterObject> objects() {
        return objects;
    }

    List<ObjectKey> claims() {
        return claims;
    }

    /** Returns whether every object was read without errors. */
    boolean isValid() {
        return !reading.hasErrors();
    }

    ManifestReadResult reading() {
        return reading;
    }

    List<String> nodes() {
        return objects.stream()
                .filter(Node.class::isInstance)
                .map(each -> each.meta().name())
                .sorted()
                .toList();
    }

    /** Returns the request to upstream, on one line. */
    String requestLine() {
        return requestLine(UPSTREAM_MILLIS);
    }

    /** Returns the request with another timeout for upstream. */
    String requestLine(long millis) {
        return Tree.mapping(fields -> fields.put("name", Long.toString(problem.seed()))
                        .put("nodes", Tree.texts(nodes()))
                        .put(
                                "features",
                                Tree.mapping(gates -> Arrays.stream(Feature.values())
                                        .forEach(each -> gates.put(
                                                each.gate(),
                                                Tree.of(problem.features().has(each))))))
                        .put("objects", new Tree.Sequence(problem.objects()))
                        .put("claims", Tree.texts(problem.claims()))
                        .put("timeoutMillis", millis))
                .json();
    }

    /** Returns upstream's outcome for each node. */
    SortedMap<String, NodeOutcome> outcomes(dev.claimstream.manifests.tree.DocumentNode.DocumentMapping answer) {
        Optional<String> mistake = answer.text("error");
        if (mistake.isPresent()) {
            throw new IllegalStateException(
                    "seed %d: upstream cannot read the problem: %s".formatted(problem.seed(), mistake.get()));
        }
        SortedMap<String, NodeOutcome> verdicts = new TreeMap<>();
        for (dev.claimstream.manifests.tree.DocumentNode item : items(answer, "nodes")) {
            var ofNode = (dev.claimstream.manifests.tree.DocumentNode.DocumentMapping) item;
            verdicts.put(ofNode.text("node").orElseThrow(), outcome(ofNode));
        }
        return verdicts;
    }

    private NodeOutcome outcome(dev.claimstream.manifests.tree.DocumentNode.DocumentMapping answer) {
        String error = answer.text("error").orElse("");
        if (isTrue(answer, "undecided")) {
            return new NodeOutcome(NodeOutcome.OutcomeKind.UNDECIDED, List.of(), error);
        }
        if (!error.isEmpty()) {
            return new NodeOutcome(NodeOutcome.OutcomeKind.ERROR, List.of(), error);
        }
        if (!isTrue(answer, "fits")) {
            return new NodeOutcome(NodeOutcome.OutcomeKind.DOES_NOT_FIT, List.of(), "");
        }
        List<Allocation> allocations = new ArrayList<>();
        for (dev.claimstream.manifests.tree.DocumentNode item : items(answer, "allocations")) {
            var read = AllocationReader.read(
                    "upstream", "allocation", item, requests(allocations.size()), ReadOptions.Strictness.SERVED);
            allocations.add(read.allocation()
                    .orElseThrow(() -> new IllegalStateException("seed %d: upstream's allocation is not understood: %s"
                            .formatted(problem.seed(), read.findings()))));
        }
        return NodeOutcome.fits(allocations);
    }

    private List<DeviceRequest> requests(int claim) {
        return objects.stream()
                .filter(ResourceClaim.class::isInstance)
                .map(ResourceClaim.class::cast)
                .filter(each -> each.key().equals(claims.get(claim)))
                .findFirst()
                .map(each -> each.spec().requests())
                .orElse(List.of());
    }

    private static boolean isTrue(dev.claimstream.manifests.tree.DocumentNode.DocumentMapping answer, String field) {
        return answer.text(field).filter(ScalarType::isTrue).isPresent();
    }

    private static List<dev.claimstream.manifests.tree.DocumentNode> items(
            dev.claimstream.manifests.tree.DocumentNode.DocumentMapping answer, String field) {
        var entry = answer.fields().get(field);
        return entry != null
                        && entry.value()
                                instanceof dev.claimstream.manifests.tree.DocumentNode.DocumentSequence sequence
                ? sequence.items()
                : List.of();
    }
}
