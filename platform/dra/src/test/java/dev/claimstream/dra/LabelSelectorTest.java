package dev.claimstream.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests label selectors in the syntax of kubectl. */
class LabelSelectorTest {
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            pool=a                             | true
            pool == a                          | true
            pool=b                             | false
            pool!=b                            | true
            pool!=a                            | false
            zone!=x                            | true
            pool in (a, b)                     | true
            pool in (b)                        | false
            pool notin (b,c)                   | true
            pool notin (a)                     | false
            pool                               | true
            zone                               | false
            !zone                              | true
            !pool                              | false
            example.com/gpu=true,pool in (a,b) | true
            example.com/gpu=true,pool=b        | false
            size>3                             | true
            size<3                             | false
            empty=                             | true
            """)
    void selectsLikeKubectl(String text, boolean isSelected) {
        var labels = new TreeMap<>(Map.of("pool", "a", "example.com/gpu", "true", "size", "4", "empty", ""));
        LabelSelector selector = LabelSelector.parse(text);
        assertThat(selector.matches(labels)).isEqualTo(isSelected);
        assertThat(LabelSelector.parse(selector.text())).isEqualTo(selector);
    }

    @Test
    void emptyTextSelectsEveryObject() {
        assertThat(LabelSelector.parse(" ")).isEqualTo(LabelSelector.EVERYTHING);
        assertThat(LabelSelector.EVERYTHING.text()).isEmpty();
        assertThat(LabelSelector.EVERYTHING.matches(new TreeMap<>())).isTrue();
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "=a",
                "pool=a,",
                ",pool=a",
                "pool in a",
                "pool in ()",
                "pool in (a",
                "pool in (a))",
                "pool of (a)",
                "!pool=a",
                "a b",
                "pool=a b",
                "pool=a/b",
                "-pool=a",
                "pool=a=b",
                "/pool=a",
                "size>x"
            })
    void rejectsOtherText(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LabelSelector.parse(text))
                .withMessageContaining("in label selector '%s'".formatted(text))
                .withMessageContaining("use requirements such as");
    }
}
