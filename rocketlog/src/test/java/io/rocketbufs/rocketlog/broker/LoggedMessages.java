package io.rocketbufs.rocketlog.broker;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** The messages that a class logs at level INFO or higher until this object is closed. */
final class LoggedMessages implements AutoCloseable {
    private final List<String> messages = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            messages.add(event.getFormattedMessage());
        }
    };
    private final Logger logger;
    private final Level levelBefore;

    LoggedMessages(Class<?> type) {
        logger = (Logger) LoggerFactory.getLogger(type);
        levelBefore = logger.getLevel();
        appender.start();
        logger.setLevel(Level.INFO); // a test that has run a command may have set a higher level
        logger.addAppender(appender);
    }

    List<String> all() {
        return messages;
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setLevel(levelBefore);
    }
}
