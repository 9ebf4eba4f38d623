package dev.claimstream.selectors;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.OptionalType;
import dev.claimstream.selectors.evaluation.EvaluationFailure;
import dev.claimstream.selectors.functions.FunctionRegistry.Overload;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Calls every overload of every function of an environment, with arguments of static type and hidden behind {@code dyn}.
 *
 * <p>The runtime accepts bindings that it does not find later, so only a call proves that a function is bound.
 */
final class FunctionVerifier {
    /** Calls of the functions of the CEL libraries, and of those that replace them. */
    private static final List<String> STANDARD = List.of(
            "device == device",
            "1 in [1] || 1 in {1: 1}",
            "!(1 + 2 - 3 * 4 / 5 % 6 < -7) && 1 <= 2 && 2 > 1 && 2 >= 1",
            "'a'.contains('a') && 'a'.startsWith('a') && 'a'.endsWith('a') && size('a') == [1].size()",
            "type(dyn(1)) == int && bool('true') && bytes('a') == b'a' && int('1') == 1 && uint('1') == 1u && double('1') == 1.0",
            "timestamp(0).getFullYear() + timestamp(0).getMonth() + timestamp(0).getDate() + timestamp(0).getHours('UTC')",
            "timestamp(0).getDayOfMonth() + timestamp(0).getDayOfWeek() + timestamp(0).getDayOfYear()",
            "duration('1s').getMinutes() + duration('1s').getSeconds() + duration('1s').getMilliseconds()",
            "dyn(1) != dyn(2)",
            "[1][0]",
            "dyn([1])[0]",
            "{1: 2}[1]",
            "dyn({1: 2})[1]",
            "optional.of([1])[0]",
            "optional.of({1: 2})[1]",
            "[1][?0]",
            "dyn([1])[?0]",
            "{1: 2}[?1]",
            "optional.of([1])[?0]",
            "optional.of({1: 2})[?1]",
            "device.?driver",
            "device.attributes.?a.?b.orValue(true)",
            "optional.none().or(optional.of(1)).value()",
            "optional.ofNonZeroValue(1).hasValue()",
            "optional.unwrap([optional.of(1)])",
            "[1].first().optMap(x, x + 1)",
            "[1].last().optFlatMap(x, optional.of(x))",
            "matches('a', 'a')",
            "'a'.matches('a')",
            "dyn('a').matches(dyn('a'))",
            "string('a') + string(true) + string(1) + string(1u) + string(1.5) + string(b'a')",
            "string(duration('1s')) + string(timestamp('2024-01-01T00:00:00Z'))",
            "string(dyn('a')) + string(dyn(1)) + string(dyn(ip('1.2.3.4'))) + string(dyn(cidr('1.2.3.0/24')))",
            "[2, 1].sortBy(x, -x)",
            "dyn([2, 1]).sortBy(x, dyn(-x))",
            "cel.bind(x, [1], x[0])",
            "{'a': 1}.transformMap(k, v, v)",
            "[1].transformMapEntry(i, v, {i: v})",
            "[1].all(i, v, i < v) && [1].exists(i, v, i < v) && [1].existsOne(i, v, i < v)",
            "{'a': 1}.transformList(k, v, v)");

    private final Environment environment;
    private final List<String> calls = new ArrayList<>(STANDARD);

    private FunctionVerifier(Environment environment) {
        this.environment = environment;
        environment
                .functions()
                .all()
                .forEach((name, overloads) -> overloads.stream()
                        .filter(overload -> !name.contains("@"))
                        .forEach(overload -> add(name, overload)));
    }

    /**
     * Calls all functions.
     *
     * @throws IllegalStateException if a call finds no function; the message names it
     */
    static void run(Environment environment) {
        FunctionVerifier probe = new FunctionVerifier(environment);
        List<String> batch = new ArrayList<>();
        int length = 0;
        for (String call : probe.calls) {
            if (length + call.length() > Environment.LENGTH_MAX / 2) {
                probe.run(batch);
                batch.clear();
                length = 0;
            }
            batch.add(call);
            length += call.length() + 2;
        }
        probe.run(batch);
    }

    private void add(String name, Overload overload) {
        List<String> samples =
                overload.parameters().stream().map(FunctionVerifier::sample).toList();
        calls.add(call(name, overload, samples));
        if (!samples.isEmpty()) {
            calls.add(call(
                    name, overload, samples.stream().map("dyn(%s)"::formatted).toList()));
        }
    }

    private static String call(String name, Overload overload, List<String> arguments) {
        int first = overload.member() ? 1 : 0;
        String list = arguments.stream().skip(first).collect(Collectors.joining(", ", "(", ")"));
        return (overload.member() ? arguments.getFirst() + "." : "") + name + list;
    }

    /** Returns an expression of a type. */
    private static String sample(CelType type) {
        return switch (type) {
            case ListType list -> "[" + sample(list.elemType()) + "]";
            case OptionalType optional ->
                "optional.of(" + sample(optional.parameters().getFirst()) + ")";
            default -> simpleSample(type);
        };
    }

    private static String simpleSample(CelType type) {
        return switch (type.name()) {
            case "string" -> "'1.2.3.4'";
            case "bool" -> "true";
            case "uint" -> "1u";
            case "double" -> "1.5";
            case "bytes" -> "b'a'";
            case "google.protobuf.Duration" -> "duration('1s')";
            case "google.protobuf.Timestamp" -> "timestamp('2024-01-01T00:00:00Z')";
            case "kubernetes.Quantity" -> "quantity('1')";
            case "kubernetes.Semver" -> "semver('1.2.3')";
            case "kubernetes.URL" -> "url('/a')";
            case "kubernetes.NamedFormat" -> "format.uuid()";
            case "net.IP" -> "ip('1.2.3.4')";
            case "net.CIDR" -> "cidr('1.2.3.0/24')";
            default -> "1";
        };
    }

    /** Checks many calls as one expression, because the check takes most of the time, and evaluates each call separately. */
    private void run(List<String> batch) {
        CelAbstractSyntaxTree tree;
        try {
            tree = environment.parseAndCheck("[" + String.join(", ", batch) + "]");
        } catch (InvalidExpressionException e) {
            throw new IllegalStateException(
                    "the functions of selectors are not declared as they are probed: " + e.text(), e);
        }
        List<CelExpr> elements = tree.getExpr().list().elements();
        for (int i = 0; i < batch.size(); i++) {
            Optional<String> problem = problem(tree, elements.get(i));
            if (problem.isPresent()) {
                throw new IllegalStateException("selectors cannot call %s: %s; the CEL library has dropped a binding"
                        .formatted(batch.get(i), problem.get()));
            }
        }
    }

    /** Returns the error of a call that finds no function; any other failure proves that the function is bound. */
    private Optional<String> problem(CelAbstractSyntaxTree tree, CelExpr call) {
        return environment.evaluate(tree, call) instanceof EvaluationFailure failure
                        && failure.message().startsWith("no such overload")
                ? Optional.of(failure.message())
                : Optional.empty();
    }
}
