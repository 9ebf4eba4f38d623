package dev.claimstream.selectors.functions;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;
import static dev.claimstream.selectors.values.KubernetesTypes.ADDRESS;
import static dev.claimstream.selectors.values.KubernetesTypes.NETWORK;

import dev.cel.common.types.CelType;
import dev.claimstream.selectors.values.AddressValue;
import dev.claimstream.selectors.values.NetworkValue;
import java.util.List;
import java.util.function.Function;

/** {@code ip(...)}, {@code cidr(...)} and their member functions. */
final class AddressFunctions {
    private static final List<CelType> TEXT = List.of(STRING);
    private static final List<CelType> ONE = List.of(ADDRESS);
    private static final List<CelType> NET = List.of(NETWORK);

    private AddressFunctions() {}

    static void addTo(FunctionRegistry functions) {
        addAddress(functions);
        addNetwork(functions);
        addContainment(functions);
    }

    private static void addAddress(FunctionRegistry functions) {
        functions
                .global("ip", "string_to_ip", ADDRESS, TEXT, a -> AddressValue.parse((String) a[0]))
                .global("isIP", "is_ip", BOOL, TEXT, a -> parses(AddressValue::parse, a[0]))
                .global(
                        "ip.isCanonical",
                        "ip_is_canonical",
                        BOOL,
                        TEXT,
                        a -> AddressValue.parse((String) a[0]).toString().equals(a[0]))
                .member("family", "ip_family", INT, ONE, a -> address(a[0]).family())
                .member(
                        "isUnspecified",
                        "ip_is_unspecified",
                        BOOL,
                        ONE,
                        a -> address(a[0]).isUnspecified())
                .member(
                        "isLoopback",
                        "ip_is_loopback",
                        BOOL,
                        ONE,
                        a -> address(a[0]).isLoopback())
                .member(
                        "isLinkLocalMulticast",
                        "ip_is_link_local_multicast",
                        BOOL,
                        ONE,
                        a -> address(a[0]).isLinkLocalMulticast())
                .member(
                        "isLinkLocalUnicast",
                        "ip_is_link_local_unicast",
                        BOOL,
                        ONE,
                        a -> address(a[0]).isLinkLocalUnicast())
                .member(
                        "isGlobalUnicast",
                        "ip_is_global_unicast",
                        BOOL,
                        ONE,
                        a -> address(a[0]).isGlobalUnicast());
    }

    private static void addNetwork(FunctionRegistry functions) {
        functions
                .global("cidr", "string_to_cidr", NETWORK, TEXT, a -> parsed(a[0]))
                .global("isCIDR", "is_cidr", BOOL, TEXT, a -> parses(NetworkValue::parse, a[0]))
                .member("ip", "cidr_ip", ADDRESS, NET, a -> network(a[0]).address())
                .member("prefixLength", "cidr_prefix_length", INT, NET, a ->
                        (long) network(a[0]).prefix())
                .member(
                        "masked",
                        "cidr_masked",
                        NETWORK,
                        NET,
                        a -> network(a[0]).masked());
    }

    private static void addContainment(FunctionRegistry functions) {
        functions
                .member(
                        "containsIP",
                        "cidr_contains_ip_string",
                        BOOL,
                        List.of(NETWORK, STRING),
                        a -> network(a[0]).contains(address(a[1], "no such overload")))
                .member(
                        "containsIP",
                        "cidr_contains_ip_ip",
                        BOOL,
                        List.of(NETWORK, ADDRESS),
                        a -> network(a[0]).contains(address(a[1])))
                .member(
                        "containsCIDR",
                        "cidr_contains_cidr_string",
                        BOOL,
                        List.of(NETWORK, STRING),
                        a -> network(a[0]).contains(parsed(a[1])))
                .member(
                        "containsCIDR",
                        "cidr_contains_cidr",
                        BOOL,
                        List.of(NETWORK, NETWORK),
                        a -> network(a[0]).contains(network(a[1])));
    }

    private static AddressValue address(Object value) {
        return (AddressValue) value;
    }

    private static AddressValue address(Object text, String problem) {
        try {
            return AddressValue.parse((String) text);
        } catch (IllegalArgumentException e) {
            throw new CallException(problem, e);
        }
    }

    private static NetworkValue network(Object value) {
        return (NetworkValue) value;
    }

    private static NetworkValue parsed(Object text) {
        try {
            return NetworkValue.parse((String) text);
        } catch (IllegalArgumentException e) {
            throw new CallException("network address parse error during conversion from string: " + e.getMessage(), e);
        }
    }

    private static boolean parses(Function<String, ?> parser, Object text) {
        try {
            var unused = parser.apply((String) text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
