package dev.claimstream.lint;

import dev.claimstream.lint.ObjectParts.ObjectPart;
import dev.claimstream.manifests.source.SourceNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds class names that are written like extended resources: {@code vendor.com/gpu}. */
final class NameRules {
    private static final Pattern SLASHED =
            Pattern.compile("([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)/([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)");

    private NameRules() {}

    static List<LintFinding> findings(SourceObject object) {
        return classNames(object).stream()
                .filter(part -> part.node() instanceof SourceNode.SourceScalar scalar
                        && scalar.text().contains("/"))
                .map(part -> finding(object, part, ((SourceNode.SourceScalar) part.node()).text()))
                .toList();
    }

    /** Returns the class names in an object: its own, and those that it requests. */
    static List<ObjectPart> classNames(SourceObject object) {
        List<ObjectPart> names = new ArrayList<>();
        if (object.isResource() && object.kind().equals("DeviceClass")) {
            new ObjectPart("", object.root())
                    .get("metadata")
                    .flatMap(metadata -> metadata.get("name"))
                    .ifPresent(names::add);
        }
        ObjectParts.requestParts(object)
                .forEach(request -> request.get("deviceClassName").ifPresent(names::add));
        return names;
    }

    /** Returns the name in the form that drivers use: {@code gpu.vendor.com}. */
    static Optional<String> reversed(String name) {
        Matcher slashed = SLASHED.matcher(name.toLowerCase(Locale.ROOT));
        return slashed.matches() ? Optional.of(slashed.group(2) + "." + slashed.group(1)) : Optional.empty();
    }

    private static LintFinding finding(SourceObject object, ObjectPart name, String text) {
        return object.error(
                LintRule.CLASS_NAME,
                name.key(),
                name.path(),
                text,
                "Invalid value: the name of a DeviceClass is a DNS subdomain, without a slash",
                reversed(text)
                        .map("write %s, in the class and in every request for it"::formatted)
                        .orElse("choose a name of lower case letters, digits, '-' and '.'"));
    }
}
