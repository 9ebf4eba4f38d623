package dev.claimstream.cli;

import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import java.net.URI;

/**
 * Where a Claimstream that stays can be reached.
 *
 * @param pid of its process
 * @param bootstrap servers of its broker
 */
record Endpoint(URI console, long pid, String bootstrap, URI registry) {
    String text() {
        return Tree.mapping(fields -> fields.put("console", console.toString())
                        .put("pid", pid)
                        .put("bootstrapServers", bootstrap)
                        .put("schemaRegistry", registry.toString()))
                .indentedJson();
    }

    /** @throws IllegalArgumentException where the text is none */
    static Endpoint of(String text) {
        var fields = new Item(TreeReader.json(text));
        return new Endpoint(
                URI.create(fields.text("console")),
                fields.number("pid"),
                fields.text("bootstrapServers"),
                URI.create(fields.text("schemaRegistry")));
    }
}
