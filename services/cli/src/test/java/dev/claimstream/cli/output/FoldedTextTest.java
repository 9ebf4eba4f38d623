package dev.claimstream.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Tests where lines are broken, and what stays in one line. */
class FoldedTextTest {
    private static String fold(String text, int width) {
        return FoldedText.of(text, OptionalInt.of(width));
    }

    @Test
    void leavesTextUnchangedInPipe() {
        String text = "a very long line, ".repeat(50) + "\n";
        assertThat(FoldedText.of(text, OptionalInt.empty())).isEqualTo(text);
    }

    @Test
    void indentsRestOfBrokenLine() {
        assertThat(fold("  because: 16 gpu.nvidia.com on one node\n", 24))
                .isEqualTo("  because: 16\n      gpu.nvidia.com on\n      one node\n");
    }

    @Test
    void keepsWordThatIsWiderThanTerminal() {
        assertThat(fold("see resource.kubernetes.io/pcieRoot of the device", 20))
                .isEqualTo("see\n    resource.kubernetes.io/pcieRoot\n    of the device");
    }

    @Test
    void keepsCommandInOneLine() {
        assertThat(fold("try it: claimstream explain claim research/too-big -f deploy/examples\n", 30))
                .isEqualTo("try it:\n    claimstream explain claim research/too-big -f deploy/examples\n");
        assertThat(fold("try 'kubectl label namespace default a=b' again\n", 20))
                .isEqualTo("try\n    'kubectl label namespace default a=b' again\n");
        assertThat(fold("./claimstream explain claim research/too-big\n", 20))
                .isEqualTo("./claimstream explain claim research/too-big\n");
    }

    @Test
    void keepsEmptyLinesAndLastLineEnd() {
        assertThat(fold("a\n\nb\n", 80)).isEqualTo("a\n\nb\n");
        assertThat(fold("a\n\nb", 80)).isEqualTo("a\n\nb");
        assertThat(fold("", 80)).isEmpty();
    }

    @Test
    void endsForEveryWidth() {
        String text = "    210 devices → 64 of class gpu.nvidia.com → 62 without repelling taints, a,b,c";
        for (int width = 1; width < 100; width++) {
            assertThat(fold(text, width).replaceAll("\\s+", "")).isEqualTo(text.replaceAll("\\s+", ""));
        }
    }
}
