package dev.claimstream.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.AttributeValue;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SharedTest {
    private final Shared<String, Object> shared = new Shared<>(Kept::new);

    private record Kept(String text) {}

    @Test
    void equalKeysHaveTheSameValue() {
        assertThat(shared.of("a")).isSameAs(shared.of(new String(new char[] {'a'})));
    }

    @Test
    void moreKeysThanItRemembersHaveTheirOwnValues() {
        assertThat(IntStream.range(0, 100_000).mapToObj(Integer::toString))
                .allSatisfy(key -> assertThat(shared.of(key)).isEqualTo(new Kept(key)));
    }

    @Test
    void valuesOfDifferentTypesWithTheSameTextStayApart() {
        var values = new Shared<AttributeValue, AttributeValue>(Function.identity());
        assertThat(values.of(new AttributeValue.StringValue("1.0.0")))
                .isEqualTo(new AttributeValue.StringValue("1.0.0"));
        assertThat(values.of(new AttributeValue.VersionValue("1.0.0")))
                .isEqualTo(new AttributeValue.VersionValue("1.0.0"));
    }
}
