package dev.claimstream.allocator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Compares the engine fingerprint of classes with and without a code source. */
class EngineFingerprintTest {
    @Test
    void isSameForClassesWithoutCodeSource() throws ReflectiveOperationException {
        Class<?> unplaced = new SourcelessClassLoader().loadClass(EngineFingerprint.class.getName());
        assertThat(unplaced.getProtectionDomain().getCodeSource().getLocation()).isNull();
        Method hash = unplaced.getDeclaredMethod("hash");
        hash.setAccessible(true);
        assertThat(hash.invoke(null)).isEqualTo(EngineFingerprint.hash());
        assertThat(EngineFingerprint.hash()).matches("[0-9a-f]{16}");
    }

    /** Loads Claimstream classes without a code source, as a class-data archive made in another folder does. */
    private static final class SourcelessClassLoader extends ClassLoader {
        SourcelessClassLoader() {
            super(EngineFingerprintTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded != null) {
                    return loaded;
                }
                return name.startsWith("dev.claimstream.") ? define(name) : super.loadClass(name, resolve);
            }
        }

        private Class<?> define(String name) {
            String file = name.replace('.', '/') + ".class";
            try (InputStream in = Objects.requireNonNull(getResourceAsStream(file), file)) {
                byte[] code = in.readAllBytes();
                return defineClass(name, code, 0, code.length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
