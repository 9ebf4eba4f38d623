package dev.claimstream.cli.input;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectListing;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceSlice;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The nodes that slices name, for files without any Node. */
public final class AssumedNodes {
    private static final int NAMES_MAX = 5;
    private static final String HOSTNAME = "kubernetes.io/hostname";

    private AssumedNodes() {}

    /** Returns the manifests with the assumed nodes, and prints a line that says so. Files with a Node stay as they are. */
    public static ManifestInputs.CompletedManifests addTo(ManifestInputs.CompletedManifests read, PrintWriter err) {
        List<ClusterObject> objects = read.listing().objects();
        List<ResourceSlice> slices = objects.stream()
                .filter(ResourceSlice.class::isInstance)
                .map(ResourceSlice.class::cast)
                .toList();
        if (slices.isEmpty() || objects.stream().anyMatch(each -> each.kind() == Kind.NODE)) {
            return read;
        }
        SortedSet<String> names =
                slices.stream().flatMap(AssumedNodes::names).collect(Collectors.toCollection(TreeSet::new));
        err.println(text(names));
        List<ClusterObject> all = new ArrayList<>(objects);
        names.forEach(name -> all.add(node(name)));
        return new ManifestInputs.CompletedManifests(new ObjectListing(all), read.hasErrors(), read.workloads());
    }

    private static Stream<String> names(ResourceSlice slice) {
        return slice.scope() instanceof NodeScope.PerDevice
                ? slice.devices().stream().flatMap(device -> name(device.scope()).stream())
                : name(slice.scope()).stream();
    }

    private static Optional<String> name(NodeScope scope) {
        return switch (scope) {
            case NodeScope.SingleNode(String node) -> Optional.of(node);
            case NodeScope.MatchingNodes(var selector) -> selector.onlyNode();
            case NodeScope.AllNodes(), NodeScope.PerDevice(), NodeScope.UnknownScope() -> Optional.empty();
        };
    }

    private static String text(SortedSet<String> names) {
        if (names.isEmpty()) {
            return "no Node in the files, and no ResourceSlice names one: no claim can be allocated, add the Nodes";
        }
        int more = names.size() - NAMES_MAX;
        return "no Node in the files: assumed %s of the ResourceSlices (%s%s), ready, without taints and further labels"
                .formatted(
                        names.size() == 1 ? "the node" : "the %d nodes".formatted(names.size()),
                        names.stream().limit(NAMES_MAX).collect(Collectors.joining(", ")),
                        more > 0 ? " and %d more".formatted(more) : "");
    }

    private static Node node(String name) {
        var labels = new TreeMap<String, String>();
        labels.put(HOSTNAME, name);
        return new Node(ObjectMeta.of("", name, "assumed-" + name).withLabels(labels), List.of(), false, true);
    }
}
