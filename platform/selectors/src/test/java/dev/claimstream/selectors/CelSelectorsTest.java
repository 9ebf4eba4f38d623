package dev.claimstream.selectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.claimstream.dra.AttributeValue.BoolValue;
import dev.claimstream.dra.AttributeValue.IntValue;
import dev.claimstream.dra.AttributeValue.StringValue;
import dev.claimstream.dra.AttributeValue.VersionValue;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selector.Match;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests compilation, caching, errors and concurrent evaluation of selectors. */
class CelSelectorsTest {
    private static final int THREADS = 4;
    private static final int EVALUATIONS = 3000;

    private final CelSelectors selectors = new CelSelectors();

    @Test
    void compilesSameTextOnce() {
        assertThat(selectors.compile("device.driver == 'a'")).isSameAs(selectors.compile("device.driver == 'a'"));
    }

    @Test
    void evictsCompiledExpressionsWithoutEffectOnResults() {
        Selector first = selectors.compile("true");
        IntStream.range(0, 600).forEach(i -> selectors.compile("device.driver == '" + i + "'"));
        assertThat(selectors.compile("true")).isNotSameAs(first);
        assertThat(selectors.compile("true").test("a", Devices.named("bare"))).isEqualTo(Match.MATCH);
    }

    @Test
    void failsOnEveryDeviceWhenExpressionDoesNotCompile() {
        assertThat(selectors.compile("nope").test("a", Devices.named("bare")))
                .isEqualTo(new Match.SelectorError(
                        "CEL compile error: compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n"
                                + " | nope\n | ^"));
        assertThat(selectors.problem("nope")).isPresent();
        assertThat(selectors.problem("true")).isEmpty();
    }

    @Test
    void addsUpstreamHintToRuntimeError() {
        assertThat(selectors.compile("device.attributes['a'].b").test("a", Devices.named("bare")))
                .isEqualTo(new Match.SelectorError(
                        "CEL runtime error: no such key: b. consider using CEL optional chaining (.? followed by orValue()) or guarding"
                                + " the check with has() for optional fields"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"unknown", "badversion", "badversions"})
    void failsEverySelectorOnDeviceWithUnreadableAttribute(String device) {
        assertThat(selectors.compile("true").test("a", Devices.named(device)))
                .isInstanceOfSatisfying(
                        Match.SelectorError.class,
                        failed -> assertThat(failed.message()).startsWith("CEL runtime error: attribute "));
    }

    @Test
    void prefersAttributeNameWithDriverDomain() {
        Device device = Devices.device(Map.of("b", new BoolValue(false), "a/b", new BoolValue(true)), Map.of(), false);
        assertThat(selectors.compile("device.attributes['a'].b").test("a", device))
                .isEqualTo(Match.MATCH);
        assertThat(selectors.compile("device.attributes['a'].exists(k, v, v)").test("a", device))
                .isEqualTo(Match.MATCH);
    }

    @Test
    void verifiesEveryFunction() {
        selectors.verifyFunctions();
    }

    @ParameterizedTest
    @ValueSource(strings = {"reverse", "indexOf", "add", "@in", "validate", "optional.of", "first", "getFullYear"})
    void namesMissingFunction(String function) {
        Environment broken = new Environment(Features.DEFAULT, name -> !name.equals(function));
        assertThatIllegalStateException()
                .isThrownBy(() -> FunctionVerifier.run(broken))
                .withMessageContaining("selectors cannot call ");
    }

    /**
     * An evaluation leaves no state in the compiled expression; shared state would change the results of other threads.
     */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = 1)
    @Timeout(120)
    void returnsSameResultsToConcurrentThreads(long seed) throws Exception {
        List<Device> devices = IntStream.range(0, 8)
                .mapToObj(i -> Devices.device(
                        Map.of(
                                "dra.example.com/index", new IntValue(i),
                                "dra.example.com/model", new StringValue("model-" + i),
                                "dra.example.com/driver", new VersionValue("1.%d.0".formatted(i))),
                        Map.of(),
                        false))
                .toList();
        List<String> expressions = IntStream.range(0, 12)
                .boxed()
                .flatMap(i -> Stream.of(
                        "device.attributes['dra.example.com'].index %% 12 == %d".formatted(i),
                        "device.attributes['dra.example.com'].index + %d > %d".formatted(i, i + 3),
                        "device.attributes['dra.example.com'].model.matches('^(model|%d)-[%d-7]$')".formatted(i, i % 8),
                        "[%d, 2, 3].map(x, x * device.attributes['dra.example.com'].index).exists(x, x == %d)"
                                .formatted(i, 2 * i),
                        "device.attributes['dra.example.com'].driver.isGreaterThan(semver('1.%d.0'))".formatted(i % 9),
                        "device.attributes['dra.example.com'].none%d == %d".formatted(i, i)))
                .toList();
        var alone = new CelSelectors();
        Map<String, List<Evaluation>> expected = new TreeMap<>();
        expressions.forEach(each -> expected.put(each, evaluateAll(alone, each, devices)));
        assertThat(expected.values().stream().flatMap(List::stream).map(Evaluation::match))
                .contains(Match.MATCH, Match.MISMATCH)
                .hasAtLeastOneElementOfType(Match.SelectorError.class);

        var shared = new CelSelectors();
        var together = new CyclicBarrier(THREADS);
        Function<Integer, Callable<Void>> work = number -> () -> {
            var random = new Random(31 * seed + number);
            together.await();
            for (int i = 0; i < EVALUATIONS; i++) {
                String expression = expressions.get(random.nextInt(expressions.size()));
                assertThat(evaluateAll(shared, expression, devices))
                        .as(expression)
                        .isEqualTo(expected.get(expression));
            }
            return null;
        };
        try (ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
            for (Future<Void> run :
                    pool.invokeAll(IntStream.range(0, THREADS).boxed().map(work).toList())) {
                assertThat(run.get()).isNull();
            }
        }
    }

    /**
     * Evaluates an expression on each device, with its cost and without the memo. All devices share the compiled
     * expression.
     */
    private static List<Evaluation> evaluateAll(CelSelectors selectors, String expression, List<Device> devices) {
        return devices.stream()
                .map(device -> selectors.evaluate(expression, Devices.DRIVER, device))
                .toList();
    }

    @Test
    void coversEveryFunctionInUpstreamAnswers() {
        List<String> expressions = UpstreamAnswersTest.cases().stream()
                .map(AnswerTable.AnswerCase::expression)
                .toList();
        assertThat(new Environment(Features.DEFAULT).functions().all().keySet())
                .filteredOn(name -> !name.contains("@"))
                .allSatisfy(name -> assertThat(expressions).anyMatch(expression -> expression.contains(name + "(")));
    }
}
