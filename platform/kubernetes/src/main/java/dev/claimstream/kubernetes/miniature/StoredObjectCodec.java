package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import dev.claimstream.manifests.write.ManifestWriter;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.SortedSet;
import java.util.TreeSet;

/** Reads and writes stored objects as JSON: the manifest and the fields that a manifest does not have. */
final class StoredObjectCodec {
    private static final ReadOptions SERVED = ReadOptions.DEFAULT.with(ReadOptions.Strictness.SERVED);
    private static final String VERSION = "version";
    private static final String SEQUENCE = "sequence";
    private static final String UNRESOLVED_UIDS = "outside";
    private static final String OBJECT = "object";

    private StoredObjectCodec() {}

    static String of(StoredObject stored) {
        return Tree.mapping(fields -> {
                    fields.put(VERSION, stored.version())
                            .put(SEQUENCE, stored.object().meta().sequence())
                            .put(OBJECT, ManifestWriter.tree(stored.object()));
                    if (!stored.unresolvedUids().isEmpty()) {
                        fields.put(UNRESOLVED_UIDS, Tree.texts(stored.unresolvedUids()));
                    }
                })
                .json();
    }

    /**
     * Reads the output of {@link #of}.
     *
     * @throws IllegalArgumentException if the text is something else
     */
    static StoredObject read(String key, String text) {
        if (!(TreeReader.json(text) instanceof Tree.Mapping stored)) {
            throw invalid(key, "not a mapping");
        }
        ClusterObject object = object(key, field(key, stored, OBJECT).json());
        ObjectMeta meta = object.meta().withSequence(number(key, stored, SEQUENCE));
        return new StoredObject(
                ClusterCompletion.with(object, meta), number(key, stored, VERSION), unresolvedUids(stored));
    }

    private static ClusterObject object(String key, String json) {
        ManifestReadResult reading =
                Manifests.read(key, new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)), SERVED);
        if (reading.manifests().size() != 1) {
            throw invalid(key, reading.findings().toString());
        }
        return reading.manifests().getFirst().object();
    }

    private static long number(String key, Tree.Mapping stored, String name) {
        if (field(key, stored, name) instanceof Tree.Numeral(String literal)) {
            return Long.parseLong(literal);
        }
        throw invalid(key, name + " is not a number");
    }

    private static SortedSet<String> unresolvedUids(Tree.Mapping stored) {
        SortedSet<String> uids = new TreeSet<>();
        if (stored.fields().get(UNRESOLVED_UIDS) instanceof Tree.Sequence texts) {
            for (Tree each : texts.items()) {
                if (each instanceof Tree.Text(String uid)) {
                    uids.add(uid);
                }
            }
        }
        return uids;
    }

    private static Tree field(String key, Tree.Mapping stored, String name) {
        Tree field = stored.fields().get(name);
        if (field == null) {
            throw invalid(key, name + " is missing");
        }
        return field;
    }

    private static IllegalArgumentException invalid(String key, String reason) {
        return new IllegalArgumentException("%s is not an object of a simulated cluster: %s".formatted(key, reason));
    }
}
