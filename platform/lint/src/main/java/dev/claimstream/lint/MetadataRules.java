package dev.claimstream.lint;

import dev.claimstream.lint.ObjectParts.ObjectPart;
import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceNode.SourceScalar;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Checks the fields of {@code metadata} that the reader ignores and an API server validates. */
final class MetadataRules {
    private static final int ANNOTATIONS_BYTES_MAX = 256 << 10;
    private static final Pattern QUALIFIED = Pattern.compile(
            "([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[a-z0-9]([-_.a-z0-9]{0,61}[a-z0-9])?");
    private static final Pattern BASE =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?([-.]([a-z0-9]([-a-z0-9]*[a-z0-9])?)?)*");

    private MetadataRules() {}

    static List<LintFinding> findings(SourceObject object) {
        boolean isChecked = object.isResource() || !ObjectParts.pods(object).isEmpty();
        Optional<ObjectPart> metadata =
                new ObjectPart("", object.root()).get("metadata").filter(_ -> isChecked);
        List<LintFinding> found = new ArrayList<>();
        metadata.flatMap(part -> part.get("annotations")).ifPresent(all -> annotations(object, all, found));
        metadata.stream()
                .flatMap(part -> part.items("finalizers").stream())
                .forEach(each -> finalizer(object, each, found));
        metadata.flatMap(part -> part.get("generateName"))
                .filter(base -> base.node() instanceof SourceScalar scalar
                        && !BASE.matcher(scalar.text()).matches())
                .ifPresent(base -> found.add(invalid(
                        object,
                        base,
                        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'",
                        "choose a name of this form")));
        return found;
    }

    private static void annotations(SourceObject object, ObjectPart annotations, List<LintFinding> found) {
        long size = 0;
        for (SourceNode.SourceField entry : annotations.node().fields()) {
            ObjectPart each =
                    new ObjectPart("%s[%s]".formatted(annotations.path(), entry.name()), entry.value(), entry.key());
            size += bytes(entry.name()) + (entry.value() instanceof SourceScalar scalar ? bytes(scalar.text()) : 0);
            if (!isQualified(entry.name())) {
                String message =
                        "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and"
                                + " end with an alphanumeric character";
                found.add(invalid(object, each, message, "choose a key of this form"));
            }
        }
        if (size > ANNOTATIONS_BYTES_MAX) {
            found.add(object.error(
                    LintRule.TOO_LONG,
                    annotations.key(),
                    annotations.path(),
                    Long.toString(size),
                    "Too long: annotations may not be more than %d bytes".formatted(ANNOTATIONS_BYTES_MAX),
                    "leave some out"));
        }
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static boolean isQualified(String name) {
        return QUALIFIED.matcher(name.toLowerCase(Locale.ROOT)).matches();
    }

    private static void finalizer(SourceObject object, ObjectPart finalizer, List<LintFinding> found) {
        if (finalizer.node() instanceof SourceScalar scalar
                && (!isQualified(scalar.text()) || !scalar.text().contains("/"))) {
            found.add(invalid(
                    object,
                    finalizer,
                    "name is neither a standard finalizer name nor is it fully qualified",
                    "write domain/name"));
        }
    }

    private static LintFinding invalid(SourceObject object, ObjectPart part, String message, String remedy) {
        String value = part.node() instanceof SourceScalar scalar ? scalar.text() : "";
        return object.error(
                LintRule.INVALID_VALUE, part.key(), part.path(), value, "Invalid value: " + message, remedy);
    }
}
