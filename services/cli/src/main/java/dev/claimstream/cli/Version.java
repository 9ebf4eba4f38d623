package dev.claimstream.cli;

import picocli.CommandLine.IVersionProvider;

/** The text of {@code --version}. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Version.class.getPackage().getImplementationVersion();
        return new String[] {"claimstream " + (version == null ? "(unpacked)" : version)};
    }
}
