package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.Units;
import java.net.InetSocketAddress;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;

/**
 * The address of an admin interface on the command line: {@code HOST:PORT}, {@code https://HOST:PORT} or
 * {@code http://HOST:PORT}.
 *
 * @param scheme {@code https} or {@code http}; null if no scheme is given
 * @param address the host and port; may be unresolved
 */
record AdminAddress(String scheme, InetSocketAddress address) {
    private static final String END_OF_SCHEME = "://";

    /** A picocli converter for admin addresses. */
    static final class Converter implements ITypeConverter<AdminAddress> {
        @Override
        public AdminAddress convert(String value) {
            String lower = value.toLowerCase(Locale.ROOT);
            for (String scheme : new String[] {"https", "http"}) {
                if (lower.startsWith(scheme + END_OF_SCHEME)) {
                    String rest = value.substring(scheme.length() + END_OF_SCHEME.length());
                    return new AdminAddress(
                            scheme, address(rest.endsWith("/") ? rest.substring(0, rest.length() - 1) : rest));
                }
            }
            return new AdminAddress(null, address(value));
        }

        private static InetSocketAddress address(String text) {
            return new Units.AddressConverter().convert(text);
        }
    }

    /** Returns true if a connection to this address does not leave the machine. */
    static boolean isLocal(InetSocketAddress address) {
        return !address.isUnresolved()
                && (address.getAddress().isLoopbackAddress()
                        || address.getAddress().isAnyLocalAddress());
    }
}
