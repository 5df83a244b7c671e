package io.rocketbufs.livestream.cli;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code 10s}, {@code 500ms}, {@code 2m}; a bare number is seconds. */
final class DurationConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String value) {
        try {
            String withUnit = value.matches("[0-9.]+") ? value + "s" : value;
            return ConfigFactory.parseString("value=" + withUnit).getDuration("value");
        } catch (ConfigException e) {
            throw new TypeConversionException("'" + value + "' is not a duration such as 10s, 500ms or 2m");
        }
    }
}
