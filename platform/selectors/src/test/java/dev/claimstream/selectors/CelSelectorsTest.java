package dev.claimstream.selectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.claimstream.dra.AttributeValue.BoolValue;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selector.Match;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CelSelectorsTest {
    private final CelSelectors selectors = new CelSelectors();

    @Test
    void oneTextIsCompiledOnce() {
        assertThat(selectors.compile("device.driver == 'a'")).isSameAs(selectors.compile("device.driver == 'a'"));
    }

    @Test
    void theCompiledExpressionsAreBoundedAndTheAnswersDoNotDependOnThat() {
        Selector first = selectors.compile("true");
        IntStream.range(0, 600).forEach(i -> selectors.compile("device.driver == '" + i + "'"));
        assertThat(selectors.compile("true")).isNotSameAs(first);
        assertThat(selectors.compile("true").test("a", Devices.named("bare"))).isEqualTo(Match.YES);
    }

    @Test
    void whatDoesNotCompileFailsOnEveryDeviceAndSaysWhy() {
        assertThat(selectors.compile("nope").test("a", Devices.named("bare")))
                .isEqualTo(new Match.Failed(
                        "CEL compile error: compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n"
                                + " | nope\n | ^"));
        assertThat(selectors.problem("nope")).isPresent();
        assertThat(selectors.problem("true")).isEmpty();
    }

    @Test
    void aRuntimeErrorComesWithUpstreamsHint() {
        assertThat(selectors.compile("device.attributes['a'].b").test("a", Devices.named("bare")))
                .isEqualTo(new Match.Failed(
                        "CEL runtime error: no such key: b. consider using CEL optional chaining (.? followed by orValue()) or guarding"
                                + " the check with has() for optional fields"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"unknown", "badversion", "badversions"})
    void anUnreadableAttributeFailsEverySelectorEvenOneThatReadsNothing(String device) {
        assertThat(selectors.compile("true").test("a", Devices.named(device)))
                .isInstanceOfSatisfying(
                        Match.Failed.class,
                        failed -> assertThat(failed.message()).startsWith("CEL runtime error: attribute "));
    }

    @Test
    void aNamePublishedWithAndWithoutTheDriversDomainCountsWithIt() {
        Device device = Devices.device(Map.of("b", new BoolValue(false), "a/b", new BoolValue(true)), Map.of(), false);
        assertThat(selectors.compile("device.attributes['a'].b").test("a", device))
                .isEqualTo(Match.YES);
        assertThat(selectors.compile("device.attributes['a'].exists(k, v, v)").test("a", device))
                .isEqualTo(Match.YES);
    }

    @Test
    void theProbeFindsEveryFunction() {
        selectors.probe();
    }

    @ParameterizedTest
    @ValueSource(strings = {"reverse", "indexOf", "add", "@in", "validate", "optional.of", "first", "getFullYear"})
    void theProbeNamesALostFunction(String function) {
        Environment broken = new Environment(Features.DEFAULT, name -> !name.equals(function));
        assertThatIllegalStateException()
                .isThrownBy(() -> Probe.run(broken))
                .withMessageContaining("selectors cannot call ");
    }

    @Test
    void manyThreadsGetTheSameAnswers() throws Exception {
        List<String> expressions = IntStream.range(0, 20)
                .mapToObj(i -> "device.attributes['dra.example.com'].index %% 20 == %d".formatted(i))
                .toList();
        Callable<List<Match>> work = () -> expressions.stream()
                .map(expression -> selectors.compile(expression).test(Devices.DRIVER, Devices.named("gpu")))
                .toList();
        try (ExecutorService pool = Executors.newFixedThreadPool(4)) {
            List<Future<List<Match>>> runs = pool.invokeAll(List.of(work, work, work, work));
            for (Future<List<Match>> run : runs) {
                assertThat(run.get()).isEqualTo(work.call()).contains(Match.YES, Match.NO);
            }
        }
    }

    @Test
    void everyFunctionIsAmongTheAnswersOfUpstream() {
        List<String> asked = UpstreamAnswersTest.cases().stream()
                .map(AnswerTable.Case::expression)
                .toList();
        assertThat(new Environment(Features.DEFAULT).functions().all().keySet())
                .filteredOn(name -> !name.contains("@"))
                .allSatisfy(name -> assertThat(asked).anyMatch(expression -> expression.contains(name + "(")));
    }
}
