package dev.claimstream.systemtests.cluster;

import dev.claimstream.systemtests.process.Program;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.ConstantInstruction;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A version of the allocator with the next format of its state: it writes this format, and reads no other. Only the
 * numbers of the formats differ from the built version.
 */
final class NextStateFormat {
    private static final String ALLOCATOR = "claimstream-allocator-.*\\.jar";
    private static final String FORMATS = "dev/claimstream/allocator/streams/StateFormat.class";

    private NextStateFormat() {}

    /** Writes the class with the changed numbers below a folder, which is to come first in the class path. */
    static void write(Path folder) throws IOException {
        Path jar;
        try (Stream<Path> libraries = Files.list(Program.TARGET.resolve("lib"))) {
            jar = libraries
                    .filter(each -> each.getFileName().toString().matches(ALLOCATOR))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] built;
        try (var files = FileSystems.newFileSystem(jar)) {
            built = Files.readAllBytes(files.getPath(FORMATS));
        }
        Path changed = folder.resolve(FORMATS);
        Files.createDirectories(changed.getParent());
        Files.write(changed, withNextNumbers(built));
    }

    /** The numbers are the constants of the static initializer. */
    private static byte[] withNextNumbers(byte[] built) {
        var numbers = new AtomicInteger();
        CodeTransform next = (code, element) -> {
            if (element instanceof ConstantInstruction constant && constant.constantValue() instanceof Integer number) {
                numbers.incrementAndGet();
                code.loadConstant(number + 1);
            } else {
                code.with(element);
            }
        };
        ClassFile file = ClassFile.of();
        byte[] changed = file.transformClass(
                file.parse(built),
                ClassTransform.transformingMethodBodies(
                        method -> method.methodName().equalsString("<clinit>"), next));
        if (numbers.get() != 2) {
            throw new AssertionError("%s has %d numbers in its static initializer, not the format that is written and the"
                            .formatted(FORMATS, numbers.get())
                    + " oldest that is read");
        }
        return changed;
    }
}
