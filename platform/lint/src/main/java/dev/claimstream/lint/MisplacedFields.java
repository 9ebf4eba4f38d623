package dev.claimstream.lint;

import dev.claimstream.lint.ObjectParts.ObjectPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Knows the place in v1 of fields that are often written elsewhere. */
final class MisplacedFields {
    /** The fields of a request, which belong under {@code exactly}. */
    static final Set<String> OF_REQUEST = Set.of(
            "deviceClassName",
            "selectors",
            "allocationMode",
            "count",
            "adminAccess",
            "tolerations",
            "capacity",
            "derivedAttributes");

    /** The remedy for an expression with the indentation of the empty {@code cel} above it. */
    static final String BELOW_CEL = "indent it, so that it is below cel:";

    private static final Set<String> OF_DEVICES = Set.of("requests", "constraints", "config");
    private static final Set<String> OF_CLASS = Set.of("selectors", "config", "extendedResourceName");
    private static final Set<String> OF_TAINT = Set.of("key", "value", "effect", "timeAdded");
    private static final Set<String> OF_SELECTOR = Set.of("driver", "pool", "device");
    private static final Set<String> OF_RULE = Set.of("deviceSelector", "taint");
    private static final Set<String> OF_POOL = Set.of("generation", "resourceSliceCount");
    private static final Set<String> OF_SLICE = Set.of(
            "driver",
            "pool",
            "nodeName",
            "nodeSelector",
            "allNodes",
            "perDeviceNodeSelection",
            "devices",
            "sharedCounters");
    private static final Set<String> OF_METADATA = Set.of("name", "namespace", "labels", "annotations", "generateName");
    private static final Set<String> MODES = Set.of("All", "ExactCount");
    private static final Pattern INDICES = Pattern.compile("\\[[^]]*]");

    private MisplacedFields() {}

    /**
     * A field in the wrong place.
     *
     * @param holder the object that contains it now
     * @param target the innermost existing object on the path to its place in v1
     * @param missing the names of the objects between the target and the field, which do not exist yet
     */
    record MisplacedField(ObjectPart holder, String name, ObjectPart target, List<String> missing) {}

    /** Returns whether a field belongs to the selector of a DeviceTaintRule. */
    static boolean isOfSelector(String name) {
        return OF_SELECTOR.contains(name);
    }

    /** Returns the remedy for an unknown field that has a place in v1. */
    static Optional<String> remedy(String kind, String path) {
        String plain = INDICES.matcher(path).replaceAll("");
        if (kind.equals("ResourceClaim") && plain.equals("spec.spec")) {
            return Optional.of("move its fields up to spec, or write kind: ResourceClaimTemplate");
        }
        if (kind.equals("ResourceClaimTemplate") && plain.equals("spec.devices")) {
            return Optional.of("put it under spec.spec:");
        }
        if (kind.equals("ResourceClaimTemplate")
                && OF_DEVICES.stream().anyMatch(name -> plain.equals("spec." + name))) {
            return Optional.of("put it under spec.spec.devices:");
        }
        if (plain.equals("devices") && kind.startsWith("ResourceClaim")) {
            return Optional.of(kind.equals("ResourceClaim") ? "put it under spec:" : "put it under spec.spec:");
        }
        if (plain.endsWith("selectors.expression")) {
            return Optional.of(BELOW_CEL);
        }
        int dot = plain.lastIndexOf('.');
        return target(kind, plain.substring(0, Math.max(0, dot)), plain.substring(dot + 1))
                .map(target -> target.isEmpty()
                        ? "put it beside kind"
                        : "put it under %s:".formatted(target.replace(".requests.", ".requests[].")));
    }

    /** Returns the path of the object that has a field, without list indices. */
    private static Optional<String> target(String kind, String parent, String name) {
        String target = switch (kind) {
            case "ResourceClaim" -> ofClaim(parent, "spec", name);
            case "ResourceClaimTemplate" -> ofClaim(parent, "spec.spec", name);
            case "DeviceClass" -> parent.isEmpty() && OF_CLASS.contains(name) ? "spec" : "";
            case "DeviceTaintRule" -> ofRule(parent, name);
            case "ResourceSlice" -> ofSlice(parent, name);
            default -> "";
        };
        boolean isMetadata = target.isEmpty() && parent.isEmpty() && OF_METADATA.contains(name);
        return Optional.of(isMetadata ? "metadata" : target).filter(path -> !path.isEmpty());
    }

    private static String ofClaim(String parent, String spec, String name) {
        String devices = spec + ".devices";
        if (parent.equals(devices + ".requests") && OF_REQUEST.contains(name)) {
            return devices + ".requests.exactly";
        }
        if (parent.equals(spec) || parent.isEmpty()) {
            return OF_DEVICES.contains(name) ? devices : OF_REQUEST.contains(name) ? devices + ".requests.exactly" : "";
        }
        return parent.equals(devices) && OF_REQUEST.contains(name) ? devices + ".requests.exactly" : "";
    }

    private static String ofRule(String parent, String name) {
        if (parent.equals("spec") || parent.isEmpty()) {
            return OF_TAINT.contains(name)
                    ? "spec.taint"
                    : OF_SELECTOR.contains(name)
                            ? "spec.deviceSelector"
                            : parent.isEmpty() && OF_RULE.contains(name) ? "spec" : "";
        }
        return parent.equals("spec.deviceSelector") && OF_TAINT.contains(name) && !name.equals("value")
                ? "spec.taint"
                : "";
    }

    private static String ofSlice(String parent, String name) {
        if (parent.equals("spec") && OF_POOL.contains(name)) {
            return "spec.pool";
        }
        return parent.isEmpty() && OF_SLICE.contains(name) ? "spec" : "";
    }

    /** Returns the misplaced fields of an object whose place is certain. */
    static List<MisplacedField> of(SourceObject object) {
        List<MisplacedField> found = new ArrayList<>();
        ObjectPart root = new ObjectPart("", object.root());
        collect(object, root, found);
        root.get("spec").ifPresent(spec -> {
            collect(object, spec, found);
            spec.get("deviceSelector").ifPresent(selector -> collect(object, selector, found));
            if (object.kind().equals("ResourceClaimTemplate")) {
                spec.get("spec").ifPresent(inner -> collect(object, inner, found));
            }
        });
        ObjectParts.devices(object).ifPresent(devices -> {
            collect(object, devices, found);
            devices.items("requests").forEach(request -> collectFromRequest(request, found));
        });
        return found;
    }

    private static void collect(SourceObject object, ObjectPart holder, List<MisplacedField> found) {
        holder.node()
                .fields()
                .forEach(entry -> target(
                                object.kind(), INDICES.matcher(holder.path()).replaceAll(""), entry.name())
                        .filter(_ -> isLikely(holder, entry.name()))
                        .flatMap(path -> existing(object, path))
                        .ifPresent(place ->
                                found.add(new MisplacedField(holder, entry.name(), place.target, place.missing))));
    }

    /** Returns whether the value can be the one of v1: some names had another meaning in v1alpha2. */
    private static boolean isLikely(ObjectPart holder, String name) {
        return switch (name) {
            case "allocationMode" ->
                holder.node().text(name).filter(MODES::contains).isPresent();
            case "constraints" ->
                holder.items(name).stream()
                        .allMatch(item ->
                                item.node().has("matchAttribute") || item.node().has("distinctAttribute"));
            case "config" ->
                holder.items(name).stream().allMatch(item -> item.node().has("opaque"));
            default -> true;
        };
    }

    private static void collectFromRequest(ObjectPart request, List<MisplacedField> found) {
        Optional<ObjectPart> only = request.get("exactly")
                .or(() -> Optional.of(request.items("firstAvailable"))
                        .filter(all -> all.size() == 1)
                        .map(List::getFirst));
        only.ifPresent(target -> request.node().fields().stream()
                .filter(entry -> OF_REQUEST.contains(entry.name()))
                .forEach(entry -> found.add(new MisplacedField(request, entry.name(), target, List.of()))));
    }

    private record FieldPlace(ObjectPart target, List<String> missing) {}

    /** Returns the innermost existing object on a path, and the fields that are missing; empty if a list has several items. */
    private static Optional<FieldPlace> existing(SourceObject object, String path) {
        Optional<ObjectPart> part = Optional.of(new ObjectPart("", object.root()));
        List<String> names = List.of(path.split("\\."));
        for (int i = 0; i < names.size(); i++) {
            ObjectPart here = part.orElseThrow();
            String name = names.get(i);
            if (name.equals("requests")) {
                List<ObjectPart> items = here.items(name);
                part = items.size() == 1 ? Optional.of(items.getFirst()) : Optional.empty();
            } else if (here.get(name).isPresent()) {
                part = here.get(name);
            } else if (name.equals("exactly") && here.items("firstAvailable").size() == 1) {
                part = Optional.of(here.items("firstAvailable").getFirst());
            } else if (name.equals("exactly") && here.node().has("firstAvailable")) {
                part = Optional.empty();
            } else {
                return Optional.of(new FieldPlace(here, names.subList(i, names.size())));
            }
            if (part.isEmpty()) {
                return Optional.empty();
            }
        }
        return part.map(each -> new FieldPlace(each, List.of()));
    }
}
