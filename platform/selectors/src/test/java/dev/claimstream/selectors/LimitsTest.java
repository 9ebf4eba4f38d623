package dev.claimstream.selectors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.AttributeValue.StringValue;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Selector.Match;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the limits on compilation and on the cost of one evaluation, with hostile expressions. */
@Timeout(20)
class LimitsTest {
    private static final CelSelectors SELECTORS = new CelSelectors();
    /** A text of 10,000 characters. */
    private static final String LONG =
            "'aaaaaaaaaa'.replace('a', 'aaaaaaaaaa').replace('a', 'aaaaaaaaaa').replace('a', 'aaaaaaaaaa')";

    private static final Device DEVICE = Devices.named("gpu");

    private static Match test(String expression) {
        return SELECTORS.compile(expression).test(Devices.DRIVER, DEVICE);
    }

    private static String failure(String expression) {
        return test(expression) instanceof Match.SelectorError failed
                ? failed.message()
                : test(expression).toString();
    }

    @Test
    void rejectsExpressionOver10KibibytesInUtf8() {
        String longest = "'" + "a".repeat(Environment.LENGTH_MAX - 8) + "' != ''";
        assertThat(test(longest.replaceFirst("a", ""))).isEqualTo(Match.MATCH);
        assertThat(failure("'" + "é".repeat(Environment.LENGTH_MAX / 2) + "' != ''"))
                .isEqualTo("CEL compile error: expression of 10248 bytes exceeds the limit of 10240 bytes");
    }

    static Stream<String> expensive() {
        return Stream.of(
                "lists.range(2000).all(x, lists.range(2000).all(y, x + y >= 0))",
                "lists.range(2000).all(x, lists.range(2000).all(y, x + y >= 0)) || true",
                "lists.range(2000).exists(x, lists.range(2000).exists(y, 1 / 0 == 1)) || true",
                "lists.range(200000).all(x, " + "1 / 0 == 1 || ".repeat(700) + "true)",
                "lists.range(200000).all(x, !(x in [" + "1, ".repeat(3000) + "1]) || true)",
                "cel.bind(s, " + LONG
                        + ".replace('', 'aaaaaaaaaaaaaaaaaaaa'), lists.range(200000).all(x, s.size() > 0))",
                "lists.range(1000000).size() > 0",
                "lists.range(1000).map(x, lists.range(1000)).size() > 0",
                "lists.range(2000).map(x, 'a').distinct().size() > 0",
                "lists.range(200000).all(x, 'aaaaaaaaaaaaaaaa'.matches('(a*)*(a*)*b') || true)",
                "lists.range(90000).map(x, x).size() > 0",
                "lists.range(3000).map(x, {'a': lists.range(300)}).size() > 0");
    }

    @ParameterizedTest
    @MethodSource("expensive")
    void stopsAtCostLimitEvenWhenErrorsAreAbsorbed(String expression) {
        assertThat(failure(expression)).isEqualTo("CEL runtime error: operation cancelled: actual cost limit exceeded");
    }

    /** Long lists whose cost is within the limit, as upstream computes it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "lists.range(1000).map(x, [x]).size() > 0",
                "lists.range(20000).map(x, x > 5 ? 1 : 2).size() > 0",
                "lists.range(20000).transformMap(i, x, x).size() > 0",
                "cel.bind(a, lists.range(450), a.all(x, a.exists(y, x == y))) || true"
            })
    void evaluatesLongListsWithinCostLimit(String expression) {
        assertThat(test(expression)).isEqualTo(Match.MATCH);
    }

    /** A list of one million elements, created at a cost of less than 1,000. */
    private static String withOneMillionElements(String body) {
        String tenTimes = "%1$s + %1$s + %1$s + %1$s + %1$s + %1$s + %1$s + %1$s + %1$s + %1$s";
        return "cel.bind(a, lists.range(100), cel.bind(b, %s, cel.bind(c, %s, cel.bind(d, %s, cel.bind(e, %s, %s)))))"
                .formatted(
                        tenTimes.formatted("a"),
                        tenTimes.formatted("b"),
                        tenTimes.formatted("c"),
                        tenTimes.formatted("d"),
                        body);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lists.range(1000).all(i, [e] == [e])",
                "lists.range(1000).all(i, '%s'.format([e]) != '')",
                "lists.range(1000).all(i, [e].flatten().size() > 0)",
                "lists.range(1000).all(i, [[e]].indexOf([e]) == 0)",
                "lists.range(1000).all(i, e in [e])"
            })
    void stopsCheapExpressionThatVisitsManyElements(String body) {
        assertThat(failure(withOneMillionElements(body))).contains("actual cost limit exceeded");
    }

    @Test
    void rejectsListOfMoreThanOneMillionElements() {
        assertThat(test(withOneMillionElements("e.size() == 1000000"))).isEqualTo(Match.MATCH);
        assertThat(failure(withOneMillionElements("(e + e).size() > 0")))
                .contains("_+_: size 2000000 exceeds maximum allowed");
    }

    @Test
    void stopsTextDoublingBeforeMemoryIsExhausted() {
        String expression = "a0.size() > 0";
        for (int i = 0; i < 30; i++) {
            expression = "cel.bind(a%d, a%d + a%d, %s)".formatted(i, i + 1, i + 1, expression);
        }
        assertThat(failure("cel.bind(a30, 'aaaaaaaa', " + expression + ")")).contains("actual cost limit exceeded");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lists.range(30000000).size() > 0",
                LONG + ".replace('', " + LONG + ").size() > 0",
                "lists.range(200).map(x, 'a').join(" + LONG + ").size() > 0",
                "dyn('%.9999999f').format([1.5]) == ''"
            })
    void rejectsCallResultOfMoreThanOneMillion(String expression) {
        assertThat(failure(expression)).contains("exceeds maximum allowed (1000000)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"(", "[", "!", "-", "1+", "x.", "true ? true : ", "[1].all(x, "})
    void rejectsDeepNestingWithoutStackOverflow(String opening) {
        int times = Environment.LENGTH_MAX / opening.length() - 10;
        assertThat(failure(opening.repeat(times) + "1")).startsWith("CEL compile error: ");
    }

    @Test
    void evaluatesDeepNestingWithinLimit() {
        assertThat(test("(".repeat(100) + "true" + ")".repeat(100))).isEqualTo(Match.MATCH);
        assertThat(test("true && ".repeat(500) + "true")).isEqualTo(Match.MATCH);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(a{1000}){1000}",
                "((a{100}){100}){100}",
                "(((a{2,50}){2,50}){2,50})b",
                "a{1001}",
                "(?:x{900}){2}"
            })
    void rejectsNestedPatternRepeatsBeforeExpansion(String pattern) {
        assertThat(failure("'aaa'.matches('" + pattern + "')")).contains("invalid matches argument");
        assertThat(failure("'aaa'.find('" + pattern + "') == ''")).contains("invalid repeat count");
    }

    @Test
    void matchesPatternsInLinearTime() {
        Device device = Devices.device(Map.of("text", new StringValue("a".repeat(64))), Map.of(), false);
        long start = System.nanoTime();
        Match match = SELECTORS
                .compile("device.attributes['dra.example.com'].text.matches('^(a+)+(a+)+(a+)+b$')")
                .test(Devices.DRIVER, device);
        assertThat(match).isEqualTo(Match.MISMATCH);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
    }
}
