package dev.claimstream.cli.folder;

import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The addresses of a running {@code claimstream up}, stored as JSON in its data folder.
 *
 * @param pid process id
 * @param bootstrap bootstrap servers of the broker
 * @param cluster the served Kubernetes cluster; empty for the simulated cluster
 */
public record Endpoint(URI console, long pid, String bootstrap, URI registry, Optional<Cluster> cluster) {
    /**
     * A Kubernetes cluster.
     *
     * @param server URL of the API server
     * @param allClaims whether all claims are allocated, not only those of configured classes
     */
    public record Cluster(String server, ApiAccess access, boolean allClaims) {}

    public String text() {
        return Tree.mapping(fields -> {
                    fields.put("console", console.toString())
                            .put("pid", pid)
                            .put("bootstrapServers", bootstrap)
                            .put("schemaRegistry", registry.toString());
                    cluster.ifPresent(each -> {
                        fields.put("cluster", each.server());
                        fields.putIfTrue("allClaims", each.allClaims());
                        fields.putIfPresent(
                                "kubeconfig",
                                each.access().kubeconfigs().stream()
                                        .findFirst()
                                        .map(Path::toAbsolutePath)
                                        .map(Path::toString),
                                Tree::of);
                        fields.putIfPresent("context", each.access().context(), Tree::of);
                    });
                })
                .indentedJson();
    }

    /**
     * Parses the JSON of {@link #text}.
     *
     * @throws IllegalArgumentException if the text is not valid
     */
    public static Endpoint of(String text) {
        var fields = new JsonObject(TreeReader.json(text));
        return new Endpoint(
                URI.create(fields.text("console")),
                fields.number("pid"),
                fields.text("bootstrapServers"),
                URI.create(fields.text("schemaRegistry")),
                fields.find("cluster")
                        .map(server -> new Cluster(
                                server,
                                new ApiAccess(
                                        fields.find("kubeconfig").map(Path::of).stream()
                                                .toList(),
                                        fields.find("context")),
                                fields.text("allClaims").equals("true"))));
    }
}
