// libxml2: the push parser with SAX2 events for WebDAV answers, the HTML parser for directory indexes.
#include <libxml/HTMLparser.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
