package dev.claimstream.manifests;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Recognises documents that lie beside manifests and are no Kubernetes objects: values, kustomizations, configuration of tools. */
public final class ForeignDocuments {
    /** Fields of Kubernetes objects, in lower case: a document with one of them is an object without a kind. */
    private static final Set<String> FIELDS_OF_OBJECTS =
            Set.of("metadata", "spec", "status", "items", "devices", "containers", "resourceclaims");

    private static final Pattern FILE = Pattern.compile("(?:.*[-_.])?values(?:[-_.].*)?\\.ya?ml|Chart\\.ya?ml");
    private static final String KUSTOMIZE = "kustomize.config.k8s.io/";

    private ForeignDocuments() {}

    /**
     * Returns whether a document is no Kubernetes object, and is not meant to be one.
     *
     * @param fields the names of its fields
     * @param apiVersion empty if not written
     * @param kind empty if not written
     */
    public static boolean isForeign(String file, Collection<String> fields, String apiVersion, String kind) {
        boolean isKustomization = apiVersion.startsWith(KUSTOMIZE)
                || (apiVersion.isEmpty()
                        && fileName(file).toLowerCase(Locale.ROOT).startsWith("kustomization"));
        if (isKustomization) {
            return true;
        }
        boolean hasForeignFileName = FILE.matcher(fileName(file)).matches() && !fields.contains("kind");
        return hasForeignFileName || !isLikelyObject(fields, kind);
    }

    /**
     * Returns whether the fields are those of an object. A document without version and kind is one if it has more fields of
     * objects than others: the description of a proposal has a status too, and that of a model has metadata. The
     * configuration of a tool may have a kind.
     */
    private static boolean isLikelyObject(Collection<String> fields, String kind) {
        List<String> names =
                fields.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
        boolean isChart = fields.containsAll(List.of("name", "version"));
        if (names.contains("apiversion") && !isChart) {
            return true;
        }
        long own = names.stream().filter(FIELDS_OF_OBJECTS::contains).count();
        boolean isKnown = KindRegistry.byName(kind).isPresent();
        return names.contains("kind") ? isKnown || own > 0 || names.size() == 1 : names.size() - own < own;
    }

    private static String fileName(String file) {
        Path name = Path.of(file).getFileName();
        return name == null ? "" : name.toString();
    }

    /** Returns the message about files that are skipped, for one line. */
    static String message(List<String> files) {
        String others = String.join(", ", files.subList(1, files.size()));
        return "no Kubernetes objects, skipped" + (others.isEmpty() ? "" : "; also " + others);
    }
}
