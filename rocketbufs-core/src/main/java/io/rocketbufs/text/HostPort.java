package io.rocketbufs.text;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text form HOST:PORT of an address. An IPv6 address is compressed and in brackets, as in {@code [::1]:7610}.
 *
 * <p><b>Source:</b> RFC 5952 for IPv6.
 *
 * @param host a name, or an address without brackets
 * @param port port number from 0 to 65,535
 */
public record HostPort(String host, int port) {
    private static final int MAX_PORT = 65_535;
    /**
     * An IPv6 address with an optional zone. The first character must not be a dot. If a text starts with neither a
     * hexadecimal digit nor a colon, Java treats the text as a name and queries the name service.
     */
    private static final Pattern NUMERIC = Pattern.compile("([0-9A-Fa-f:][0-9A-Fa-f:.]*)(%.+)?");

    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,5}");
    private static final int GROUP_COUNT = 8;
    private static final int IPV4_LENGTH = 4;

    /**
     * Parses HOST:PORT without resolving the host.
     *
     * @throws IllegalArgumentException if the text is not in this form; the message is suitable for the user
     */
    public static HostPort parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        String port = text.substring(colon + 1);
        boolean isBracketed = host.startsWith("[") && host.endsWith("]");
        if (!isBracketed && text.indexOf(':') != colon) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not HOST:PORT; put an IPv6 address in brackets, as in [::1]:7610");
        }
        String bare = isBracketed ? host.substring(1, host.length() - 1) : host;
        if (bare.isEmpty()
                || isBracketed && !isIpv6(bare)
                || !isBracketed && (bare.indexOf('[') >= 0 || bare.indexOf(']') >= 0)
                || !DIGITS.matcher(port).matches()
                || Integer.parseInt(port) > MAX_PORT) {
            throw new IllegalArgumentException("\"" + text + "\" is not HOST:PORT");
        }
        return new HostPort(bare, Integer.parseInt(port));
    }

    /** Returns the text of an address. The text contains the host's name if the address was created from a name. */
    public static String of(SocketAddress address) {
        return address instanceof InetSocketAddress known
                ? new HostPort(known.getHostString(), known.getPort()).toString()
                : String.valueOf(address);
    }

    /** Returns the text of a resolved address, with the host's numeric address instead of its name. */
    public static String numeric(InetSocketAddress address) {
        return new HostPort(address.getAddress().getHostAddress(), address.getPort()).toString();
    }

    /** Returns the text of a numeric address, without a port or brackets. */
    public static String numeric(InetAddress address) {
        return compressed(address.getHostAddress());
    }

    /** Resolves the host; the result may be unresolved. */
    public InetSocketAddress resolve() {
        return new InetSocketAddress(host, port);
    }

    /** Returns HOST:PORT. */
    @Override
    public String toString() {
        String bare = compressed(host);
        return (bare.indexOf(':') < 0 ? bare : "[" + bare + "]") + ":" + port;
    }

    private static boolean isIpv6(String host) {
        return bytesOfIpv6(host) != null;
    }

    /**
     * Returns the bytes of an IPv6 address; only 4 bytes if the address contains an IPv4 address. Returns null if the
     * host is not an IPv6 address. Does not check the zone, because zones are known only to the machine that uses them.
     */
    private static byte[] bytesOfIpv6(String host) {
        Matcher numeric = NUMERIC.matcher(host);
        if (host.indexOf(':') < 0 || !numeric.matches()) {
            return null;
        }
        try {
            // This call does not query the name service, because no host name has this form.
            return InetAddress.getByName(numeric.group(1)).getAddress();
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /** Returns the shortest form of an IPv6 address, with its zone. Returns other hosts without brackets. */
    private static String compressed(String host) {
        String bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        byte[] bytes = bytesOfIpv6(bare);
        if (bytes == null) {
            return bare;
        }
        int percent = bare.indexOf('%');
        String zone = percent < 0 ? "" : bare.substring(percent);
        return (bytes.length == IPV4_LENGTH ? mapped(bytes) : groups(bytes)) + zone;
    }

    private static String mapped(byte[] bytes) {
        StringBuilder text = new StringBuilder("::ffff");
        for (int i = 0; i < IPV4_LENGTH; i++) {
            text.append(i == 0 ? ':' : '.').append(bytes[i] & 0xff);
        }
        return text.toString();
    }

    private static String groups(byte[] bytes) {
        int[] groups = new int[GROUP_COUNT];
        for (int i = 0; i < GROUP_COUNT; i++) {
            groups[i] = (bytes[2 * i] & 0xff) << 8 | bytes[2 * i + 1] & 0xff;
        }
        int start = GROUP_COUNT;
        int length = 1;
        for (int i = 0; i < GROUP_COUNT; i++) {
            int zeros = zerosFrom(groups, i);
            if (zeros > length) {
                start = i;
                length = zeros;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < GROUP_COUNT; i++) {
            if (i == start) {
                text.append("::");
                i += length - 1;
            } else {
                boolean isFirst = text.isEmpty() || text.charAt(text.length() - 1) == ':';
                text.append(isFirst ? "" : ":").append(Integer.toHexString(groups[i]));
            }
        }
        return text.toString();
    }

    private static int zerosFrom(int[] groups, int first) {
        int end = first;
        while (end < GROUP_COUNT && groups[end] == 0) {
            end++;
        }
        return end - first;
    }
}
