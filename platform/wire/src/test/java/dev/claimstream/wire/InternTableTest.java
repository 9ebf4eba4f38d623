package dev.claimstream.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.AttributeValue;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests that equal keys, and only equal keys, share an interned value. */
class InternTableTest {
    private final InternTable<String, Object> shared = new InternTable<>(InternedText::new);

    private record InternedText(String text) {}

    @Test
    void returnsSameValueForEqualKeys() {
        assertThat(shared.intern("a")).isSameAs(shared.intern(new String(new char[] {'a'})));
    }

    @Test
    void returnsOwnValuesBeyondTableSize() {
        assertThat(IntStream.range(0, 100_000).mapToObj(Integer::toString))
                .allSatisfy(key -> assertThat(shared.intern(key)).isEqualTo(new InternedText(key)));
    }

    @Test
    void separatesEqualTextsOfDifferentTypes() {
        var values = new InternTable<AttributeValue, AttributeValue>(Function.identity());
        assertThat(values.intern(new AttributeValue.StringValue("1.0.0")))
                .isEqualTo(new AttributeValue.StringValue("1.0.0"));
        assertThat(values.intern(new AttributeValue.VersionValue("1.0.0")))
                .isEqualTo(new AttributeValue.VersionValue("1.0.0"));
    }
}
