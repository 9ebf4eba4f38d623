package dev.claimstream.lint;

import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DerivedAttribute;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceRequest.Alternative;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.lint.PublishedDevices.DeviceMatches;
import dev.claimstream.lint.PublishedDevices.PublishedDevice;
import dev.claimstream.lint.PublishedDevices.SelectorEvaluationError;
import dev.claimstream.manifests.Manifest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks classes and claims against the devices that the same manifests publish. Reports nothing if no devices are published. */
final class PublishedDeviceRules {
    private final List<Manifest> manifests;
    private final PublishedDevices publishedDevices;
    private final Map<String, List<PublishedDevice>> ofClasses = new HashMap<>();
    private final Map<RequestKey, RequestMatches> ofRequests = new HashMap<>();
    private final SequencedMap<String, Runnable> classFindings = new LinkedHashMap<>();
    /** The classes without devices in alternatives of requests that another alternative can meet. */
    private final Set<String> replaceableClasses = new HashSet<>();
    /** The classes of requests that no other alternative can meet. */
    private final Set<String> requiredClasses = new HashSet<>();

    private final List<LintFinding> found = new ArrayList<>();

    /**
     * What decides which devices match a request.
     *
     * @param className empty if the class is not among the manifests
     */
    private record RequestKey(String className, List<String> selectors) {}

    private record RequestMatches(DeviceMatches devices, long maxPerNode) {}

    PublishedDeviceRules(List<Manifest> manifests) {
        this.manifests = List.copyOf(manifests);
        this.publishedDevices = new PublishedDevices(manifests);
    }

    List<LintFinding> findings() {
        if (!publishedDevices.devices().isEmpty()) {
            manifests.forEach(this::ofClass);
            manifests.forEach(manifest -> ClaimRules.spec(manifest.object()).ifPresent(spec -> claim(manifest, spec)));
            replaceableClasses.removeAll(requiredClasses);
            classFindings.keySet().removeAll(replaceableClasses);
            classFindings.values().forEach(Runnable::run);
        }
        return List.copyOf(found);
    }

    private void ofClass(Manifest manifest) {
        if (manifest.object() instanceof DeviceClass deviceClass) {
            DeviceMatches passed = publishedDevices.filter(publishedDevices.devices(), deviceClass.selectors());
            ofClasses.put(deviceClass.meta().name(), passed.devices());
            classFindings.put(
                    deviceClass.meta().name(),
                    () -> reportSelectors(manifest, "spec", deviceClass.selectors(), passed, "published device"));
        }
    }

    /** Reports selectors that fail or match no device. */
    private void reportSelectors(
            Manifest manifest, String path, List<String> expressions, DeviceMatches passed, String which) {
        passed.failures()
                .forEach((number, failure) ->
                        reportFailure(manifest, expression(path, number), expressions.get(number), failure));
        passed.emptyingSelector()
                .filter(number -> !passed.failures().containsKey(number))
                .ifPresent(number -> add(
                        LintRule.NEVER_MATCHES,
                        manifest,
                        expression(path, number),
                        expressions.get(number).strip(),
                        "no %s matches; %d devices are published, of %s"
                                .formatted(which, publishedDevices.devices().size(), publishedDevices.drivers()),
                        "run claimstream match 'CEL' -f SLICES: it shows the result for each device"));
    }

    private static String expression(String path, int number) {
        return "%s.selectors[%d].cel.expression".formatted(path, number);
    }

    private void reportFailure(Manifest manifest, String field, String expression, SelectorEvaluationError failure) {
        String message = failure.message();
        int hint = message.indexOf(". consider");
        add(
                LintRule.SELECTOR_FAILS,
                manifest,
                field,
                expression.strip(),
                "fails on device %s: %s; a pod whose search evaluates this device is not scheduled"
                        .formatted(failure.device().id(), hint < 0 ? message : message.substring(0, hint)),
                "guard it: device.driver == \"...\" && ..., or .?name.orValue(...)");
    }

    private void claim(Manifest manifest, ClaimSpec spec) {
        String devices = ClaimRules.devices(manifest.object());
        Map<String, List<PublishedDevice>> candidates = new HashMap<>();
        Map<String, Set<String>> derived = new HashMap<>();
        spec.requests().forEach(request -> derived.put(request.name(), derivedNames(request)));
        for (int i = 0; i < spec.requests().size(); i++) {
            String path = "%s.requests[%d]".formatted(devices, i);
            DeviceRequest request = spec.requests().get(i);
            request(manifest, path, request).ifPresent(remaining -> candidates.put(request.name(), remaining));
        }
        for (int i = 0; i < spec.constraints().size(); i++) {
            constraint(
                    manifest,
                    "%s.constraints[%d]".formatted(devices, i),
                    spec.constraints().get(i),
                    candidates,
                    derived);
        }
    }

    /** Returns the devices that a request can choose from; empty if they are unknown. */
    private Optional<List<PublishedDevice>> request(Manifest manifest, String path, DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly exactly -> {
                requiredClasses.add(exactly.spec().deviceClassName());
                yield checkRequest(manifest, pathOfSpec(manifest, path), exactly.spec());
            }
            case DeviceRequest.FirstAvailable first -> {
                int before = found.size();
                List<PublishedDevice> all = new ArrayList<>();
                boolean isKnown = true;
                boolean isMet = false;
                for (int i = 0; i < first.alternatives().size(); i++) {
                    String at = "%s.firstAvailable[%d]".formatted(path, i);
                    int findings = found.size();
                    RequestSpec spec = first.alternatives().get(i).spec();
                    var remaining = checkRequest(manifest, at, spec);
                    remaining.ifPresent(all::addAll);
                    isKnown &= remaining.isPresent();
                    isMet |= found.size() == findings && !isEmptyClass(spec);
                }
                if (isMet) {
                    keepFailures(before);
                }
                Set<String> classes = isMet ? replaceableClasses : requiredClasses;
                first.alternatives().stream()
                        .map(Alternative::spec)
                        .filter(this::isEmptyClass)
                        .forEach(spec -> classes.add(spec.deviceClassName()));
                yield isKnown ? Optional.of(all) : Optional.empty();
            }
            case DeviceRequest.UnknownRequest _ -> Optional.empty();
        };
    }

    private boolean isEmptyClass(RequestSpec spec) {
        return Optional.ofNullable(ofClasses.get(spec.deviceClassName()))
                .filter(List::isEmpty)
                .isPresent();
    }

    /** Withdraws the findings about alternatives without devices: another alternative of the request has some. */
    private void keepFailures(int before) {
        found.subList(before, found.size()).removeIf(each -> each.rule() != LintRule.SELECTOR_FAILS);
    }

    private static String pathOfSpec(Manifest manifest, String path) {
        return manifest.apiVersion().equals("resource.k8s.io/v1beta1") ? path : path + ".exactly";
    }

    private Optional<List<PublishedDevice>> checkRequest(Manifest manifest, String path, RequestSpec spec) {
        Optional<List<PublishedDevice>> ofClass = Optional.ofNullable(ofClasses.get(spec.deviceClassName()));
        if (ofClass.filter(List::isEmpty).isPresent()) {
            return Optional.empty(); // reported at the class
        }
        RequestMatches matches = matches(spec, ofClass);
        DeviceMatches passed = matches.devices;
        if (ofClass.isEmpty() && !passed.failures().isEmpty()) {
            return Optional.empty(); // the class may exclude the devices on which the selector fails
        }
        reportSelectors(
                manifest,
                path,
                spec.selectors(),
                passed,
                ofClass.isPresent() ? "device of the class" : "published device");
        long most = matches.maxPerNode;
        boolean counts = spec.allocationMode().equals(AllocationMode.EXACT_COUNT);
        if (counts && most > 0 && spec.count() > most) {
            add(
                    LintRule.TOO_FEW_DEVICES,
                    manifest,
                    path + ".count",
                    Long.toString(spec.count()),
                    "no node has enough matching devices: the maximum is %d".formatted(most),
                    "request fewer: all devices of a claim are allocated on one node");
        }
        return ofClass.isPresent() && passed.failures().isEmpty() ? Optional.of(passed.devices()) : Optional.empty();
    }

    /** Returns the matches of a request; requests with the same class and selectors are evaluated once. */
    private RequestMatches matches(RequestSpec spec, Optional<List<PublishedDevice>> ofClass) {
        String className = ofClass.isPresent() ? spec.deviceClassName() : "";
        return ofRequests.computeIfAbsent(new RequestKey(className, spec.selectors()), _ -> {
            DeviceMatches passed =
                    publishedDevices.filter(ofClass.orElse(publishedDevices.devices()), spec.selectors());
            return new RequestMatches(passed, PublishedDevices.maxPerNode(passed.devices()));
        });
    }

    private void constraint(
            Manifest manifest,
            String path,
            DeviceConstraint constraint,
            Map<String, List<PublishedDevice>> candidates,
            Map<String, Set<String>> derived) {
        String attribute = switch (constraint) {
            case DeviceConstraint.MatchAttribute match -> match.attribute();
            case DeviceConstraint.DistinctAttribute distinct -> distinct.attribute();
            case DeviceConstraint.UnknownConstraint _ -> "";
        };
        String field = constraint instanceof DeviceConstraint.MatchAttribute ? "matchAttribute" : "distinctAttribute";
        for (var each : candidates.entrySet()) {
            boolean isBound = constraint.requests().isEmpty()
                    || constraint.requests().stream()
                            .anyMatch(name -> name.equals(each.getKey()) || name.startsWith(each.getKey() + "/"));
            if (isBound
                    && !attribute.isEmpty()
                    && !each.getValue().isEmpty()
                    && !derived.getOrDefault(each.getKey(), Set.of()).contains(attribute)
                    && lacksAttribute(each.getValue(), attribute)) {
                add(
                        LintRule.CONSTRAINT_NEVER_MET,
                        manifest,
                        path + "." + field,
                        attribute,
                        "no device that matches request %s has the attribute, and a device without it is not allocated"
                                .formatted(each.getKey()),
                        "name an attribute that the devices publish");
            }
        }
    }

    /** Returns the attributes that a request computes from others. */
    private static Set<String> derivedNames(DeviceRequest request) {
        Stream<RequestSpec> specs = switch (request) {
            case DeviceRequest.Exactly exactly -> Stream.of(exactly.spec());
            case DeviceRequest.FirstAvailable first ->
                first.alternatives().stream().map(Alternative::spec);
            case DeviceRequest.UnknownRequest _ -> Stream.empty();
        };
        return specs.flatMap(spec -> spec.derivedAttributes().stream())
                .map(DerivedAttribute::name)
                .collect(Collectors.toSet());
    }

    private static boolean lacksAttribute(List<PublishedDevice> devices, String attribute) {
        return devices.stream().noneMatch(each -> hasAttribute(each, attribute));
    }

    /** Returns whether a device has an attribute; a name without a domain belongs to the domain of the driver. */
    private static boolean hasAttribute(PublishedDevice published, String attribute) {
        Device device = published.device();
        int slash = attribute.indexOf('/');
        return device.attributes().containsKey(attribute)
                || (attribute
                                .substring(0, Math.max(0, slash))
                                .equals(published.id().driver())
                        && device.attributes().containsKey(attribute.substring(slash + 1)));
    }

    private void add(LintRule rule, Manifest manifest, String field, String value, String message, String remedy) {
        found.add(new LintFinding(rule, manifest.error(field, value, message, remedy)));
    }
}
