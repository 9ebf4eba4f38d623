package dev.claimstream.lint;

import dev.claimstream.lint.ObjectParts.ObjectPart;
import dev.claimstream.manifests.source.SourceNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Recognises claims for network devices. Their drivers act on the sandbox of the pod, so that no container names the claim.
 *
 * <p>The names of classes and drivers, and the parameters of drivers, are the only evidence in manifests.
 */
final class NetworkClaims {
    private static final Set<String> WORDS = Set.of(
            "net",
            "netdev",
            "nic",
            "nics",
            "eth",
            "roce",
            "ib",
            "hca",
            "cni",
            "efa",
            "ovs",
            "dpdk",
            "ipvlan",
            "macvlan",
            "vlan",
            "ovsdpdk",
            "ena",
            "gvnic",
            "vnic",
            "pnic",
            "rnic",
            "smartnic",
            "hostnic",
            "dranet");
    /** Begins and ends of words. */
    private static final List<String> PARTS = List.of("network", "sriov", "rdma", "infiniband", "dranet", "ethernet");

    /** Words for devices that containers use: their claims are no network claims, whatever else the names say. */
    private static final Set<String> ACCELERATORS =
            Set.of("gpu", "gpus", "vgpu", "vgpus", "mig", "tpu", "tpus", "npu", "npus", "neural");

    /** The driver of DRANET, which acts on the sandbox of the pod only, and the usual names of its classes. */
    private static final String SANDBOX_DRIVER = "dra.net";

    private static final Set<String> SANDBOX_CLASSES = Set.of(SANDBOX_DRIVER, "dranet", "multinic");

    private static final Set<String> PARAMETERS =
            Set.of("interface", "interfaces", "ifName", "routes", "addresses", "ipam", "vlan", "netAttachDefName");
    private static final Pattern TOP_DOMAIN = Pattern.compile("\\.(net|network)(?![-.a-z0-9])");
    private static final Pattern DRANET = Pattern.compile("(?<![-a-z0-9])dra\\.net(?![-.a-z0-9])");
    /** A driver, or a domain of attributes, in an expression. Names of attributes are no evidence: GPUs have rdmaCapable. */
    private static final Pattern DOMAIN =
            Pattern.compile("[\"']([a-zA-Z0-9-]+(?:\\.[a-zA-Z0-9-]+)+)(?:/[^\"']*)?[\"']");

    private NetworkClaims() {}

    /**
     * Returns whether a claim requests network devices only.
     *
     * @param entry the entry of the pod
     * @param claim the claim or template that it names, if it is among the manifests
     */
    static boolean isNetwork(ObjectPart entry, Optional<SourceObject> claim, SourceObjectIndex references) {
        List<ObjectPart> requests = claim.flatMap(ObjectParts::devices)
                .map(devices -> devices.items("requests"))
                .orElse(List.of());
        if (requests.isEmpty()) {
            return List.of("name", "resourceClaimName", "resourceClaimTemplateName").stream()
                    .anyMatch(field -> entry.node()
                            .text(field)
                            .filter(NetworkClaims::isNetworkName)
                            .isPresent());
        }
        boolean isConfigured = requests.size() == 1
                && claim.flatMap(ObjectParts::devices).stream()
                        .flatMap(devices -> devices.items("config").stream())
                        .flatMap(config -> config.get("opaque").stream())
                        .anyMatch(NetworkClaims::isNetworkConfig);
        return isConfigured || requests.stream().allMatch(request -> isNetworkRequest(request, references));
    }

    /**
     * Returns whether a claim requests devices only of a driver that acts on the sandbox of the pod: no container can use the claim.
     *
     * @param claim the claim or template that a pod names, if it is among the manifests
     */
    static boolean isOfSandbox(Optional<SourceObject> claim, SourceObjectIndex references) {
        List<ObjectPart> requests = claim.flatMap(ObjectParts::devices)
                .map(devices -> devices.items("requests"))
                .orElse(List.of());
        return !requests.isEmpty()
                && requests.stream()
                        .flatMap(request -> options(request).stream())
                        .allMatch(option -> isOfSandbox(option, references));
    }

    private static boolean isOfSandbox(ObjectPart option, SourceObjectIndex references) {
        return SANDBOX_CLASSES.contains(className(option))
                || expressions(option, references)
                        .anyMatch(expression -> hasDomain(expression, SANDBOX_DRIVER::equals));
    }

    private static boolean isNetworkConfig(ObjectPart opaque) {
        String driver = opaque.node().text("driver").orElse("");
        if (isAccelerator(driver)) {
            return false;
        }
        return isNetworkName(driver)
                || opaque.node().get("parameters").stream()
                        .flatMap(parameters -> parameters.fields().stream())
                        .anyMatch(field -> PARAMETERS.contains(field.name()));
    }

    private static boolean isNetworkRequest(ObjectPart request, SourceObjectIndex references) {
        return options(request).stream().allMatch(option -> isNetworkOption(option, references));
    }

    /** Returns the alternatives of a request. */
    private static List<ObjectPart> options(ObjectPart request) {
        List<ObjectPart> options = new ArrayList<>(request.items("firstAvailable"));
        request.get("exactly").ifPresent(options::add);
        return options.isEmpty() ? List.of(request) : options;
    }

    private static boolean isNetworkOption(ObjectPart option, SourceObjectIndex references) {
        return isNetworkName(className(option))
                || expressions(option, references)
                        .anyMatch(expression -> hasDomain(expression, NetworkClaims::isNetworkName));
    }

    private static String className(ObjectPart option) {
        return option.node().text("deviceClassName").orElse("");
    }

    /** Returns the selectors of the class and of the request. */
    private static Stream<ObjectPart> expressions(ObjectPart option, SourceObjectIndex references) {
        return Stream.concat(
                references.byName("DeviceClass", className(option)).stream()
                        .flatMap(each -> ObjectParts.expressions(each).stream()),
                option.items("selectors").stream()
                        .flatMap(selector -> selector.get("cel").flatMap(cel -> cel.get("expression")).stream()));
    }

    private static boolean hasDomain(ObjectPart expression, Predicate<String> condition) {
        return expression.node() instanceof SourceNode.SourceScalar scalar
                && DOMAIN.matcher(scalar.text()).results().anyMatch(domain -> condition.test(domain.group(1)));
    }

    /** Returns whether the name of a driver, class or claim contains a word for network devices; the top domain .net is none. */
    static boolean isNetworkName(String text) {
        String lower = DRANET.matcher(text.toLowerCase(Locale.ROOT)).replaceAll("dranet");
        List<String> words = words(TOP_DOMAIN.matcher(lower).replaceAll(""));
        return words.stream().noneMatch(ACCELERATORS::contains)
                && words.stream().anyMatch(NetworkClaims::isNetworkWord);
    }

    private static boolean isNetworkWord(String word) {
        return WORDS.contains(word) || PARTS.stream().anyMatch(part -> word.startsWith(part) || word.endsWith(part));
    }

    private static List<String> words(String name) {
        return List.of(name.split("[^a-z]+"));
    }

    private static boolean isAccelerator(String name) {
        return words(name.toLowerCase(Locale.ROOT)).stream().anyMatch(ACCELERATORS::contains);
    }
}
