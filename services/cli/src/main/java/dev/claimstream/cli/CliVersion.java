package dev.claimstream.cli;

import picocli.CommandLine.IVersionProvider;

/** The text of {@code --version}. */
final class CliVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = CliVersion.class.getPackage().getImplementationVersion();
        return new String[] {"claimstream " + (version == null ? "(unpacked)" : version)};
    }
}
