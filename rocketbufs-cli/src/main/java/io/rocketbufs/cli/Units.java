package io.rocketbufs.cli;

import io.rocketbufs.text.HostPort;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters of durations, byte counts and addresses on the command line. */
public final class Units {
    private static final Pattern QUANTITY = Pattern.compile("([0-9]+(?:\\.[0-9]+)?) ?([a-z]*)");
    private static final Map<String, Long> NANOS = Map.of(
            "ms", 1_000_000L, "s", 1_000_000_000L, "", 1_000_000_000L, "m", 60_000_000_000L, "h", 3_600_000_000_000L);
    private static final Map<String, Long> BYTES = Map.of(
            "",
            1L,
            "b",
            1L,
            "k",
            1024L,
            "kb",
            1000L,
            "kib",
            1024L,
            "m",
            1L << 20,
            "mb",
            1_000_000L,
            "mib",
            1L << 20,
            "gb",
            1_000_000_000L,
            "gib",
            1L << 30);

    private Units() {}

    /**
     * A converter of durations: {@code 10s}, {@code 500ms}, {@code 2m}, {@code 1h}. A number without a unit is a number
     * of seconds.
     */
    public static final class DurationConverter implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String value) {
            return Duration.ofNanos(quantity(value, NANOS, "a duration such as 10s, 500ms or 2m"));
        }
    }

    /** A converter of byte counts: {@code 512}, {@code 8KiB}, {@code 1MB}. The units k and m are binary. */
    public static final class LengthConverter implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String value) {
            long length = quantity(value, BYTES, "a number of bytes such as 512 or 8KiB");
            if (length > Integer.MAX_VALUE) {
                throw new TypeConversionException("'" + value + "' is more than 2 GiB");
            }
            return (int) length;
        }
    }

    /** A converter of byte counts that can exceed 2 GiB. */
    public static final class LongLengthConverter implements ITypeConverter<Long> {
        @Override
        public Long convert(String value) {
            return quantity(value, BYTES, "a number of bytes such as 512, 8KiB or 2GiB");
        }
    }

    /** A converter of addresses: {@code HOST:PORT} or {@code [IPv6]:PORT}. */
    public static final class AddressConverter implements ITypeConverter<InetSocketAddress> {
        @Override
        public InetSocketAddress convert(String value) {
            HostPort parsed;
            try {
                parsed = HostPort.parse(value);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
            if (parsed.port() == 0) {
                throw new TypeConversionException("\"" + value + "\" is not HOST:PORT with a port from 1 to 65535");
            }
            return parsed.resolve();
        }
    }

    private static long quantity(String value, Map<String, Long> units, String expected) {
        Matcher matcher = QUANTITY.matcher(value.toLowerCase(Locale.ROOT));
        Long unit = matcher.matches() ? units.get(matcher.group(2)) : null;
        if (unit == null) {
            throw new TypeConversionException("'" + value + "' is not " + expected);
        }
        try {
            return new BigDecimal(matcher.group(1))
                    .multiply(BigDecimal.valueOf(unit))
                    .toBigInteger()
                    .longValueExact();
        } catch (ArithmeticException e) {
            throw new TypeConversionException("'" + value + "' is too large");
        }
    }
}
