package dev.claimstream.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Compression of short, long, repetitive and random values, and decompression of damaged ones. */
class ValueCompressorTest {
    private static final long SEED = 415;

    private final ValueCompressor compressor = new ValueCompressor();

    @Test
    void decompressesCompressedValues() {
        var random = new Random(SEED);
        for (int length : new int[] {0, 1, 5, 1023, 1024, 1025, 5_000, 300_000, 2 << 20}) {
            for (int sorts : new int[] {1, 3, 256}) {
                byte[] value = value(random, length, sorts);
                byte[] packed = compressor.compress(value);
                String reason = "%d bytes of %d sorts, seed %d".formatted(length, sorts, SEED);
                assertThat(packed.length).as(reason).isLessThanOrEqualTo(value.length);
                assertThat(compressor.decompress(packed)).as(reason).isEqualTo(value);
            }
        }
    }

    private static byte[] value(Random random, int length, int sorts) {
        var value = new byte[length];
        for (int at = 1; at < length; at++) {
            value[at] = (byte) random.nextInt(sorts);
        }
        return value;
    }

    /** Threads that restore a state decompress in parallel. */
    @Test
    void decompressesFromSeveralThreads() {
        byte[] packed = compressor.compress(value(new Random(SEED), 300_000, 3));
        byte[] other = compressor.compress(new byte[20_000]);
        assertThat(IntStream.range(0, 2_000)
                        .parallel()
                        .mapToObj(i -> compressor.decompress(i % 2 == 0 ? packed : other))
                        .map(Arrays::hashCode)
                        .distinct())
                .containsExactlyInAnyOrder(
                        Arrays.hashCode(compressor.decompress(packed)), Arrays.hashCode(compressor.decompress(other)));
    }

    @Test
    void compressesOnlyLongRepetitiveValues() {
        assertThat(compressor.compress(new byte[100_000])).hasSizeLessThan(1_000);
        byte[] small = new byte[ValueCompressor.BYTES_MIN - 1];
        assertThat(compressor.compress(small)).isSameAs(small);
    }

    @Test
    void rejectsInvalidCompressedValue() {
        byte[] packed = compressor.compress(new byte[5_000]);
        for (int length = 5; length < packed.length; length++) {
            byte[] cut = Arrays.copyOf(packed, length);
            assertThatThrownBy(() -> compressor.decompress(cut))
                    .as("cut to %d bytes", length)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        for (int length : new int[] {-1, 0, 4_999, 5_001, Integer.MAX_VALUE}) {
            byte[] other = packed.clone();
            ByteBuffer.wrap(other).putInt(1, length);
            assertThatThrownBy(() -> compressor.decompress(other))
                    .as("said to have %d bytes", length)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        byte[] broken = packed.clone();
        broken[7] ^= 0x5A;
        assertThatThrownBy(() -> compressor.decompress(broken)).isInstanceOf(IllegalArgumentException.class);
        assertThat(compressor.decompress(packed)).as("goes on after that").isEqualTo(new byte[5_000]);
    }
}
