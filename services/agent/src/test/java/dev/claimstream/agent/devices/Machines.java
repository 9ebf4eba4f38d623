package dev.claimstream.agent.devices;

import java.nio.file.Path;

/** Sysfs trees of real machines. */
public final class Machines {
    private static final int GPUS = 8;
    private static final int GPUS_PER_SOCKET = 4;
    private static final int FIRST_BUS = 0x18;
    private static final int BUS_STEP = 0x18;

    private Machines() {}

    /**
     * Eight H100 and eight ConnectX-7, each pair below its own root complex; NVSwitches, a BlueField-3 and onboard
     * graphics.
     */
    public static FakeSys dgx(Path folder) {
        var sys = new FakeSys(folder);
        for (int i = 0; i < GPUS; i++) {
            int bus = FIRST_BUS + i * BUS_STEP;
            int numa = i / GPUS_PER_SOCKET;
            String root = "pci0000:%02x/0000:%02x:01.0/0000:%02x:00.0".formatted(bus - 1, bus - 1, bus);
            String gpu = "0000:%02x:00.0".formatted(bus + 3);
            sys.add(root + "/0000:%02x:00.0".formatted(bus + 1), gpu, "10de:2330", "030200")
                    .numa(numa)
                    .driver("nvidia")
                    .file("subsystem_vendor", "0x10de")
                    .file("subsystem_device", "0x16c1");
            sys.nvidia(gpu, "NVIDIA H100 80GB HBM3", uuid(i));
            sys.add(
                            root + "/0000:%02x:01.0".formatted(bus + 1),
                            "0000:%02x:00.0".formatted(bus + 5),
                            "15b3:1021",
                            "020700")
                    .numa(numa)
                    .driver("mlx5_core");
        }
        sys.add("pci0000:05", "0000:07:00.0", "10de:22a3", "068000").numa(0).driver("nvidia-nvswitch");
        sys.add("pci0000:29", "0000:29:00.0", "15b3:a2dc", "020000").numa(0).driver("mlx5_core");
        sys.add("pci0000:29", "0000:29:00.1", "15b3:a2dc", "020000").numa(0).driver("mlx5_core");
        sys.add("pci0000:29", "0000:29:00.2", "15b3:c2d5", "080100").numa(0);
        sys.add("pci0000:00", "0000:03:00.0", "1a03:2000", "030000").numa(0).driver("ast");
        sys.add("pci0000:00", "0000:04:00.0", "8086:1563", "020000").numa(0).driver("ixgbe");
        return sys;
    }

    /** UUID of a GPU of the DGX. */
    public static String uuid(int gpu) {
        return "GPU-00000000-0000-0000-0000-00000000000%d".formatted(gpu);
    }

    /** Two MI300X, with the files of amdgpu. */
    public static FakeSys mi300(Path folder) {
        var sys = new FakeSys(folder);
        for (int i = 0; i < 2; i++) {
            sys.add("pci0000:%d0".formatted(i), "0000:%d5:00.0".formatted(i), "1002:74a1", "120000")
                    .numa(i)
                    .driver("amdgpu")
                    .file("product_name", "AMD Instinct MI300X OAM")
                    .file("serial_number", "69240900540%d".formatted(i))
                    .file("mem_info_vram_total", "206141652992");
        }
        return sys;
    }

    /** Two Gaudi 2. */
    public static FakeSys gaudi(Path folder) {
        var sys = new FakeSys(folder);
        sys.add("pci0000:19", "0000:19:00.0", "1da3:1020", "120000").numa(0).driver("habanalabs");
        sys.add("pci0000:b3", "0000:b3:00.0", "1da3:1020", "120000").numa(1).driver("habanalabs");
        return sys;
    }

    /** A small trn1.32xlarge: two Trainium, an EFA, an ENA and an NVMe. */
    public static FakeSys neuron(Path folder) {
        var sys = new FakeSys(folder);
        sys.add("pci0000:00", "0000:00:1e.0", "1d0f:7164", "088000").numa(-1).driver("neuron");
        sys.add("pci0000:00", "0000:00:1f.0", "1d0f:7164", "088000").numa(-1).driver("neuron");
        sys.add("pci0000:00", "0000:00:06.0", "1d0f:efa1", "020000").numa(-1).driver("efa");
        sys.add("pci0000:00", "0000:00:05.0", "1d0f:ec20", "020000").numa(-1).driver("ena");
        sys.add("pci0000:00", "0000:00:04.0", "1d0f:8061", "010802").numa(-1).driver("nvme");
        return sys;
    }
}
