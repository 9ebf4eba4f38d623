package dev.claimstream.agent.devices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Devices found in sysfs trees of real machines and of broken ones. */
final class DiscoveryTest {
    @TempDir
    private Path folder;

    private List<Accelerator> allocatable(FakeSys sys, String... exclude) throws IOException {
        return scan(sys, exclude).allocatable();
    }

    private Discovery.DiscoveredDevices scan(FakeSys sys, String... exclude) throws IOException {
        return new Discovery(
                        new PciTree(sys.sys(), sys.proc()),
                        DeviceTable.builtIn(),
                        List.of(folder.resolve("pci.ids")),
                        Stream.of(exclude).map(Exclusion::new).toList())
                .scan();
    }

    @Test
    void findsOnlyGpusAdaptersAndOneDpuOnDgx() throws IOException {
        var found = allocatable(Machines.dgx(folder));
        assertThat(found).extracting(Accelerator::family).containsOnly("nvidia-gpu", "nic", "dpu");
        assertThat(found).filteredOn(each -> each.family().equals("nvidia-gpu")).hasSize(8);
        assertThat(found).filteredOn(each -> each.family().equals("nic")).hasSize(8);
        assertThat(found)
                .filteredOn(each -> each.family().equals("dpu"))
                .singleElement()
                .satisfies(dpu -> {
                    assertThat(dpu.name()).isEqualTo("dpu-0000-29-00-0");
                    assertThat(dpu.functions()).isEqualTo(2);
                    assertThat(dpu.model()).contains("BlueField-3");
                });
    }

    @Test
    void gpuAndAdjacentAdapterShareOnePcieRoot() throws IOException {
        var found = allocatable(Machines.dgx(folder));
        assertThat(found)
                .filteredOn(each -> !each.family().equals("dpu"))
                .extracting(each -> each.function().pcieRoot().orElseThrow())
                .startsWith("pci0000:17", "pci0000:17", "pci0000:2f", "pci0000:2f");
    }

    @Test
    void readsGpuDetailsFromDriver() throws IOException {
        var gpu = allocatable(Machines.dgx(folder)).getFirst();
        assertThat(gpu.name()).isEqualTo("gpu-0000-1b-00-0");
        assertThat(gpu.model()).contains("NVIDIA H100 80GB HBM3");
        assertThat(gpu.function().identity().uuid()).contains(Machines.uuid(0));
        assertThat(gpu.function().numaNode()).hasValue(0);
        assertThat(gpu.function().driver()).contains("nvidia");
        assertThat(gpu.function().subsystem()).contains("10de:16c1");
        assertThat(gpu.function().busState()).isEqualTo(PciFunction.BusState.REACHABLE);
    }

    @Test
    void readsMi300NameAndMemoryFromAmdgpu() throws IOException {
        var found = allocatable(Machines.mi300(folder));
        assertThat(found).hasSize(2).allSatisfy(gpu -> {
            assertThat(gpu.driver()).isEqualTo("amd-gpu.agent.claimstream.dev");
            assertThat(gpu.model()).contains("AMD Instinct MI300X OAM");
            assertThat(gpu.function().identity().memoryBytes()).isEqualTo(OptionalLong.of(206141652992L));
        });
    }

    @Test
    void identifiesGaudiAndNeuronByPciIds() throws IOException {
        assertThat(allocatable(Machines.gaudi(folder.resolve("gaudi"))))
                .extracting(Accelerator::family, each -> each.model().orElse(""))
                .containsOnly(org.assertj.core.groups.Tuple.tuple("gaudi", "Gaudi 2"));
        assertThat(allocatable(Machines.neuron(folder.resolve("neuron"))))
                .extracting(Accelerator::name)
                .containsExactly("nic-0000-00-06-0", "neuron-0000-00-1e-0", "neuron-0000-00-1f-0");
    }

    @Test
    void hasNoNumaNodeWithoutNuma() throws IOException {
        assertThat(allocatable(Machines.neuron(folder)))
                .allSatisfy(each -> assertThat(each.function().numaNode()).isEmpty());
    }

    @Test
    void findsGraphicsButNoNetworkOfLaptop() throws IOException {
        var sys = new FakeSys(folder);
        sys.add("pci0000:00", "0000:00:02.0", "8086:46a6", "030000").numa(-1).driver("i915");
        sys.add("pci0000:00", "0000:00:1f.6", "8086:1a1c", "020000").driver("e1000e");
        sys.add("pci0000:00", "0000:00:14.3", "8086:51f0", "028000").driver("iwlwifi");
        assertThat(allocatable(sys)).extracting(Accelerator::driver).containsExactly("intel-gpu.agent.claimstream.dev");
    }

    @Test
    void findsNothingWithoutPci() throws IOException {
        Files.createDirectories(folder.resolve("sys"));
        assertThat(new PciTree(folder.resolve("sys"), folder).functions()).isEmpty();
    }

    @Test
    void allocatesVirtualFunctionsAndCountsPhysicalOne() throws IOException {
        var sys = new FakeSys(folder);
        sys.add("pci0000:80", "0000:81:00.0", "15b3:101d", "020000").file("sriov_numvfs", "2");
        sys.add("pci0000:80", "0000:81:00.2", "15b3:101e", "020000").virtualOf("0000:81:00.0");
        sys.add("pci0000:80", "0000:81:00.3", "15b3:101e", "020000").virtualOf("0000:81:00.0");
        var found = scan(sys);
        assertThat(found.allocatable())
                .extracting(Accelerator::name)
                .containsExactly("nic-0000-81-00-2", "nic-0000-81-00-3");
        assertThat(found.physical()).extracting(Accelerator::name).containsExactly("nic-0000-81-00-0");
    }

    @Test
    void excludesManagementFunctionOfFpga() throws IOException {
        var sys = new FakeSys(folder);
        sys.add("pci0000:80", "0000:d8:00.0", "10ee:5004", "120000").driver("xclmgmt");
        sys.add("pci0000:80", "0000:d8:00.1", "10ee:5005", "120000").driver("xocl");
        assertThat(allocatable(sys)).extracting(Accelerator::name).containsExactly("fpga-0000-d8-00-1");
    }

    @Test
    void skipsIncompleteFunctions() throws IOException {
        var sys = Machines.gaudi(folder);
        Files.createSymbolicLink(
                sys.sys().resolve("bus/pci/devices/0000:aa:00.0"), Path.of("../../../devices/nowhere"));
        sys.add("pci0000:ab", "0000:ab:00.0", "1da3:1020", "120000").file("vendor", "");
        sys.add("pci0000:ac", "0000:ac:00.0", "1da3:1020", "120000").file("class", "nonsense");
        assertThat(allocatable(sys)).hasSize(2);
    }

    @Test
    void reportsLostDeviceAndDoesNotWakeSuspendedOne() throws IOException {
        var sys = new FakeSys(folder);
        sys.add("pci0000:19", "0000:19:00.0", "10de:2330", "030200").config("ffff", "ffff");
        sys.add("pci0000:20", "0000:20:00.0", "10de:2330", "030200")
                .config("ffff", "ffff")
                .file("power_state", "D3cold");
        Files.createDirectories(sys.sys().resolve("devices/pci0000:20/0000:20:00.0/power"));
        Files.writeString(sys.sys().resolve("devices/pci0000:20/0000:20:00.0/power/runtime_status"), "suspended\n");
        assertThat(allocatable(sys))
                .extracting(each -> each.function().busState())
                .containsExactly(PciFunction.BusState.LOST, PciFunction.BusState.UNKNOWN);
    }

    @Test
    void usesPciIdsNameWhenDriverHasNone() throws IOException {
        Files.writeString(
                folder.resolve("pci.ids"),
                "# ids\n10de  NVIDIA Corporation\n\t2330  GH100 [H100 SXM5 80GB]\n\t\t10de 16c1  board\n8086  Intel\n\t2330  wrong\nC 03  Display\n\t00  VGA\n");
        var sys = new FakeSys(folder);
        sys.add("pci0000:19", "0000:19:00.0", "10de:2330", "030200");
        assertThat(allocatable(sys).getFirst().model()).isEqualTo(Optional.of("H100 SXM5 80GB"));
    }

    @Test
    void countsExcludedDevicesButDoesNotAllocateThem() throws IOException {
        var sys = Machines.dgx(folder);
        assertThat(allocatable(sys, "0000:1b:00.0", "type=nic", "15b3:a2dc")).hasSize(7);
        assertThat(allocatable(sys, "driver=nvidia"))
                .extracting(Accelerator::type)
                .containsOnly("nic", "dpu");
        assertThat(allocatable(sys, "0000:*")).isEmpty();
        assertThat(scan(sys, "0000:*").physical()).hasSize(17);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Exclusion("gpu0"))
                .withMessageContaining("claimstream.agent.exclude has gpu0");
    }

    @Test
    void deviceTableFileOverridesBuiltInTable() throws IOException {
        Path table = folder.resolve("more.txt");
        Files.writeString(table, "# site\nacme-npu npu function 1234 0001,0002 * * Acme NPU\nnone - - 1da3 * * * -\n");
        var sys = Machines.gaudi(folder);
        sys.add("pci0000:01", "0000:01:00.0", "1234:0002", "120000");
        var found = new Discovery(
                        new PciTree(sys.sys(), sys.proc()), DeviceTable.withOverrides(table), List.of(), List.of())
                .scan();
        assertThat(found.allocatable())
                .extracting(Accelerator::driver)
                .containsExactly("acme-npu.agent.claimstream.dev");
        Files.writeString(table, "acme-npu npu function 12345 * * * -\n");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceTable.withOverrides(table))
                .withMessageContaining("more.txt line 1: vendor is 12345");
    }

    @Test
    void parsesPciAddressFormatsOfTools() {
        assertThat(PciAddress.parse("00000000:31:00.0")).contains(new PciAddress("0000:31:00.0"));
        assertThat(PciAddress.parse("3B:00.0")).contains(new PciAddress("0000:3b:00.0"));
        assertThat(PciAddress.parse("10000:e1:00.0")).contains(new PciAddress("10000:e1:00.0"));
        assertThat(PciAddress.parse("pci0000:00")).isEmpty();
    }
}
