package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code claimstream agent --print} on a simulated sysfs tree. */
final class AgentCommandTest {
    @TempDir
    private Path sys;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... args) {
        return Main.execute(new PrintWriter(out), new PrintWriter(err), args);
    }

    private void addPciDevice(String address, String vendor, String device, String classCode) throws IOException {
        Path real = Files.createDirectories(sys.resolve("devices/pci0000:00").resolve(address));
        Files.writeString(real.resolve("vendor"), vendor);
        Files.writeString(real.resolve("device"), device);
        Files.writeString(real.resolve("class"), classCode);
        Path bus = Files.createDirectories(sys.resolve("bus/pci/devices"));
        Files.createSymbolicLink(bus.resolve(address), Path.of("../../../devices/pci0000:00", address));
    }

    @Test
    void printsFoundDevicesAsSlices() throws IOException {
        addPciDevice("0000:00:03.0", "0x10de", "0x2335", "0x030200");
        assertThat(run("agent", "--print", "--sys", sys.toString(), "--node", "node-1"))
                .isZero();
        assertThat(out.toString())
                .contains("kind: ResourceSlice", "nodeName: node-1", "name: gpu-0000-00-03-0", "string: pci0000:00");
    }

    @Test
    void printsCommentWithoutAccelerators() {
        assertThat(run("agent", "--print", "--sys", sys.toString(), "--node", "node-1"))
                .isZero();
        assertThat(out.toString()).isEqualTo("# no known accelerator below %s%n".formatted(sys));
    }

    @Test
    void rejectsMissingSysFolder() {
        assertThat(run("agent", "--print", "--sys", "/nowhere", "--node", "node-1"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("claimstream.agent.sys is '/nowhere'");
    }
}
