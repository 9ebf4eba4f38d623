package dev.claimstream.lint;

import dev.claimstream.lint.MappingText.FieldText;
import dev.claimstream.lint.ObjectParts.ObjectPart;
import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceNode.SourceMapping;
import dev.claimstream.manifests.source.SourceNode.SourceSequence;
import dev.claimstream.manifests.source.SourceText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Moves fields to their place: constraints out of requests, quantities out of attributes, unused claims into a container. */
final class RelocationFixes {
    private final SourceObject object;
    private final SourceText source;
    private final SourceObjectIndex references;

    private RelocationFixes(SourceObject object, SourceObjectIndex references) {
        this.object = object;
        this.source = object.source();
        this.references = references;
    }

    static List<LintFix> of(SourceObject object, SourceObjectIndex references) {
        RelocationFixes fixes = new RelocationFixes(object, references);
        List<LintFix> all = new ArrayList<>();
        ObjectParts.devices(object).ifPresent(devices -> {
            for (String field : List.of("constraints", "config")) {
                fixes.fromRequests(devices, field).ifPresent(all::add);
            }
        });
        ObjectParts.deviceParts(object)
                .forEach(device ->
                        fixes.quantity(device.get("basic").orElse(device)).ifPresent(all::add));
        ObjectParts.pods(object).forEach(pod -> fixes.unusedClaim(pod).ifPresent(all::add));
        return all;
    }

    /** Returns the fields of a block; empty for JSON, because inserted fields are written as YAML. */
    private Optional<MappingText> pieces(SourceNode node) {
        return node instanceof SourceMapping mapping
                ? MappingText.of(source, mapping).filter(pieces -> !pieces.isJson())
                : Optional.empty();
    }

    private static List<FieldText> without(MappingText pieces, String field) {
        return pieces.all().stream()
                .filter(piece -> !piece.name().equals(field))
                .toList();
    }

    // ---- constraints and config in a request

    /** Moves the field of the first request that has it; the next one is moved in the next pass. */
    private Optional<LintFix> fromRequests(ObjectPart devices, String field) {
        return devices.items("requests").stream()
                .flatMap(request -> Stream.concat(Stream.of(request), request.get("exactly").stream())
                        .flatMap(holder -> fromRequest(devices, request.node(), holder.node(), field).stream()))
                .findFirst();
    }

    private Optional<LintFix> fromRequest(ObjectPart devices, SourceNode request, SourceNode holder, String field) {
        Optional<String> name = request.text("name");
        List<SourceNode> items = holder.items(field);
        Optional<MappingText> from =
                pieces(holder).filter(pieces -> pieces.all().size() > 1);
        Optional<MappingText> to = pieces(devices.node()).filter(MappingText::isBlock);
        if (name.isEmpty() || items.isEmpty() || from.isEmpty() || to.isEmpty()) {
            return Optional.empty();
        }
        List<String> lines = new ArrayList<>();
        for (SourceNode item : items) {
            Optional<MappingText> fields = pieces(item);
            if (fields.isEmpty()) {
                return Optional.empty();
            }
            lines.addAll(MappingText.item(named(fields.get(), name.get())));
        }
        return inserted(devices, to.get(), field, lines)
                .map(insertion -> LintFix.of(
                        LintRule.CONSTRAINT_IN_REQUEST, from.get().rewritten(without(from.get(), field)), insertion));
    }

    /** Adds the name of the request: a constraint in a request was meant for that request. */
    private static List<FieldText> named(MappingText item, String request) {
        boolean isNamed = item.all().stream().anyMatch(piece -> piece.name().equals("requests"));
        return isNamed
                ? item.all()
                : Stream.concat(Stream.of(FieldText.of("requests", "[" + request + "]")), item.all().stream())
                        .toList();
    }

    /** Inserts items into a list next to the requests, after the existing items. */
    private Optional<TextEdit> inserted(ObjectPart devices, MappingText to, String field, List<String> lines) {
        Optional<SourceNode> there = devices.node().get(field);
        if (there.isEmpty()) {
            String text = Stream.concat(Stream.of(field + ":"), lines.stream())
                    .map(line -> "\n" + MappingText.indented(line, to.indent()))
                    .reduce("", String::concat);
            return Optional.of(TextEdit.insert(to.span().end(), text));
        }
        return there.filter(list -> list instanceof SourceSequence sequence && !sequence.isFlow())
                .map(list -> {
                    int indent = source.indent(list.span().start());
                    String text = lines.stream()
                            .map(line -> "\n" + MappingText.indented(line, indent))
                            .reduce("", String::concat);
                    return TextEdit.insert(
                            MappingText.endOfLine(source, list.span().end()), text);
                });
    }

    // ---- attributes that are quantities

    private Optional<LintFix> quantity(ObjectPart device) {
        Optional<ObjectPart> attributes = device.get("attributes");
        Optional<SourceNode.SourceField> entry = attributes.stream()
                .flatMap(all -> all.node().fields().stream())
                .filter(each -> each.value().fields().size() == 1
                        && each.value().text("quantity").isPresent())
                .findFirst();
        Optional<MappingText> outer = pieces(device.node()).filter(MappingText::isBlock);
        Optional<MappingText> inner = attributes.flatMap(all -> pieces(all.node()));
        if (entry.isEmpty()
                || outer.isEmpty()
                || inner.isEmpty()
                || inner.get().all().size() < 2) {
            return Optional.empty();
        }
        SourceNode value = entry.get().value().get("quantity").orElseThrow();
        String written = "%s: {value: %s}".formatted(entry.get().name(), source.text(value.span()));
        TextEdit removed =
                inner.get().rewritten(without(inner.get(), entry.get().name()));
        return capacity(device, outer.get(), written)
                .map(insertion -> LintFix.of(LintRule.ATTRIBUTE_QUANTITY, removed, insertion));
    }

    private Optional<TextEdit> capacity(ObjectPart device, MappingText outer, String written) {
        Optional<ObjectPart> capacity = device.get("capacity");
        if (capacity.isEmpty()) {
            String indent = "\n" + " ".repeat(outer.indent());
            return Optional.of(TextEdit.insert(outer.span().end(), indent + "capacity:" + indent + "  " + written));
        }
        return pieces(capacity.get().node())
                .map(pieces -> pieces.isBlock()
                        ? TextEdit.insert(pieces.span().end(), "\n" + " ".repeat(pieces.indent()) + written)
                        : TextEdit.insert(pieces.span().end() - 1, ", " + written));
    }

    // ---- claims that no container names

    /** Adds the claims to the container of a pod with exactly one container. */
    private Optional<LintFix> unusedClaim(ObjectPart pod) {
        List<ObjectPart> containers = pod.items("containers");
        boolean isAlone = containers.size() == 1 && pod.items("initContainers").isEmpty();
        List<String> names = pod.items("resourceClaims").stream()
                .filter(entry -> !isOfNetwork(entry))
                .flatMap(entry -> entry.node().text("name").stream())
                .map("{name: %s}"::formatted)
                .toList();
        if (!isAlone || names.isEmpty() || uses(containers.getFirst())) {
            return Optional.empty();
        }
        return claims(containers.getFirst().node(), "[" + String.join(", ", names) + "]")
                .map(edit -> LintFix.of(LintRule.UNUSED_CLAIM, edit));
    }

    private boolean isOfNetwork(ObjectPart entry) {
        Optional<SourceObject> claim = references.claim(object, entry);
        return NetworkClaims.isOfSandbox(claim, references) || NetworkClaims.isNetwork(entry, claim, references);
    }

    private static boolean uses(ObjectPart container) {
        return container
                .get("resources")
                .map(resources -> resources.node().has("claims"))
                .orElse(false);
    }

    private Optional<TextEdit> claims(SourceNode container, String claims) {
        FieldText field = FieldText.of("claims", claims);
        Optional<SourceNode> resources = container.get("resources");
        return resources.isPresent()
                ? resources.flatMap(this::pieces).map(pieces -> pieces.rewritten(with(pieces, field)))
                : pieces(container)
                        .map(pieces -> pieces.rewritten(with(pieces, pieces.nested("resources", List.of(field)))));
    }

    private static List<FieldText> with(MappingText pieces, FieldText field) {
        return Stream.concat(pieces.all().stream(), Stream.of(field)).toList();
    }
}
